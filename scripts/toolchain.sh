# Finds JDK 25 and Maven, or installs them with the system's package manager. To be sourced.

say() { printf '%s\n' "$*" >&2; }

# A JDK says its version in its `release` file: no need to start it.
is_jdk_25() {
  [ -x "$1/bin/javac" ] && grep -q '^JAVA_VERSION="25[."]' "$1/release" 2>/dev/null
}

find_jdk() {
  local candidate
  for candidate in "${JAVA_HOME:-}" "${JAVA_25_HOME:-}" \
    /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* /usr/local/opt/openjdk@25 \
    /opt/homebrew/opt/openjdk@25/libexec/openjdk.jdk/Contents/Home \
    /Library/Java/JavaVirtualMachines/*/Contents/Home \
    "${HOME:-}"/.sdkman/candidates/java/* "${HOME:-}"/.jdks/*; do
    if [ -n "$candidate" ] && is_jdk_25 "$candidate"; then
      printf '%s' "$candidate"
      return
    fi
  done
  local java
  java=$(command -v java) && java=$(readlink -f "$java" 2>/dev/null) || return 1
  candidate=${java%/bin/java}
  is_jdk_25 "$candidate" && printf '%s' "$candidate"
}

# install_package NAME_APT NAME_DNF NAME_APK NAME_BREW: a name may be several, tried in turn.
install_package() {
  local as_root='' name
  [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && as_root='sudo -n'; }
  if command -v apt-get >/dev/null; then
    $as_root apt-get update -qq >&2 || true
    for name in $1; do $as_root apt-get install -y -qq "$name" >&2 && return; done
  elif command -v dnf >/dev/null; then
    for name in $2; do $as_root dnf install -y -q "$name" >&2 && return; done
  elif command -v apk >/dev/null; then
    for name in $3; do $as_root apk add -q "$name" >&2 && return; done
  elif command -v brew >/dev/null; then
    for name in $4; do brew install -q "$name" >&2 && return; done
  fi
  return 1
}

# Sets JAVA_HOME to a JDK 25, or ends.
need_jdk() {
  local found
  found=$(find_jdk) || found=''
  if [ -z "$found" ]; then
    say 'veridex: no JDK 25 found, asking the package manager for one'
    install_package 'temurin-25-jdk openjdk-25-jdk-headless' 'temurin-25-jdk java-25-openjdk-devel' \
      'openjdk25' 'openjdk@25' || true
    found=$(find_jdk) || found=''
  fi
  if [ -z "$found" ]; then
    say 'veridex: needs JDK 25: install Temurin 25 (or any JDK 25) and set JAVA_HOME to it'
    exit 3
  fi
  export JAVA_HOME=$found
}

# Makes sure that mvn is there, or ends.
need_maven() {
  command -v mvn >/dev/null && return
  say 'veridex: no Maven found, asking the package manager for it'
  install_package 'maven' 'maven' 'maven' 'maven' || true
  if ! command -v mvn >/dev/null; then
    say 'veridex: needs Maven 3.8 or newer: install it and put mvn on the PATH'
    exit 3
  fi
}

# Asks for a browser and its driver, for the tests of the page. Without them those are skipped.
want_browser() {
  command -v chromedriver >/dev/null && return
  say 'veridex: no chromedriver found, asking the package manager for a browser'
  install_package 'chromium-driver' 'chromedriver' 'chromium-chromedriver' 'chromedriver' || true
  command -v chromedriver >/dev/null || say 'veridex: no browser, so the tests of the page are skipped'
}
