package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.LiveApprovals;
import dev.veridex.access.compiled.TimedRights;
import dev.veridex.index.VisibleResources;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Decisions in the newest state of an index, shared by subjects that nothing tells apart: those
/// whose memberships agree, as far as any permission names them.
///
/// When the state changes, all of it is forgotten. Whoever is decided for again takes no longer
/// than the first time.
public final class DecisionCache {
  private static final int SUBJECT_BITS = 8;
  private static final int MAX_ASKED = 10_000;

  /// So much of the memory may be for what approvals add.
  private static final int APPROVED_FRACTION = 4;

  /// To look at so many permissions is a matter of milliseconds.
  private static final int MANY = 1_000_000;

  private final ResourceClassifier classes = new ResourceClassifier();
  private final FolderDictionary folders = new FolderDictionary();
  private final long maxBytes;
  private final int most;
  private final Map<Key, CacheEntry> decided = new LinkedHashMap<>(16, 0.75f, true);

  /// The same by who asked, as long as it is kept: whoever is in thousands of groups is not looked
  /// up twice.
  private final Map<CacheKey, Key> asked = new HashMap<>();

  /// What approvals add for single subjects.
  private final Map<CacheKey, ApprovedEntry> approved = new LinkedHashMap<>(16, 0.75f, true);

  private @Nullable ResourceClasses state;
  private long bytes;
  private long approvedBytes;

  /// @param maxBytes how much memory they may take
  public DecisionCache(long maxBytes) {
    this(maxBytes, MANY);
  }

  /// @param most so many permissions of a subject are looked at beforehand; of whoever has more,
  ///   when an object is asked for
  public DecisionCache(long maxBytes, int most) {
    this.maxBytes = maxBytes;
    this.most = most;
  }

  private static final class CacheEntry {
    private final Key key;
    private final PermittedResources permitted;

    /// That it was counted with last: what is decided bit by bit becomes more.
    private long bytes;

    private CacheEntry(Key key, PermittedResources permitted) {
      this.key = key;
      this.permitted = permitted;
    }

    /// Counts it again.
    ///
    /// @return how much more it is
    private long grown() {
      long before = bytes;
      bytes = key.bytes() + permitted.bytes();
      return bytes - before;
    }
  }

  private record ApprovedEntry(ApprovedResources resources, long bytes) {}

  private record CacheKey(String subject, List<String> implicit, int right) {}

  /// The inputs of a decision, besides the state.
  private record Key(long[] subjects, int[] implicit, int right) {
    @Override
    public boolean equals(@Nullable Object object) {
      return object instanceof Key(long[] others, int[] groups, int other)
          && right == other
          && Arrays.equals(subjects, others)
          && Arrays.equals(implicit, groups);
    }

    @Override
    public int hashCode() {
      return 31 * (31 * Arrays.hashCode(subjects) + Arrays.hashCode(implicit)) + right;
    }

    @Override
    public String toString() {
      return Arrays.toString(subjects);
    }

    private long bytes() {
      return 64 + 8L * subjects.length + 4L * implicit.length;
    }
  }

  /// The resources on which a subject has a right, approvals counted.
  ///
  /// @param implicit what every resource is in without any statement
  public VisibleResources of(
      CompiledIndex index,
      LiveApprovals approvals,
      String subject,
      List<String> implicit,
      int right) {
    PermittedResources others = of(index, subject, implicit, right);
    TimedRights own = approvals.of(index.dictionary().find(subject));
    if (own.size() == 0) {
      return others;
    }
    CacheKey question = new CacheKey(subject, implicit, right);
    ApprovedResources known = approved(question);
    if (known != null && known.isOf(others, own, approvals.now())) {
      return known.resources();
    }
    CompiledCheck check = new CompiledCheck(index);
    check.subject(subject);
    check.implicit(implicit);
    ApprovedResources made = new ApprovedResources(others, own, approvals.now(), check, right);
    keep(question, made);
    return made.resources();
  }

  private synchronized @Nullable ApprovedResources approved(CacheKey question) {
    ApprovedEntry kept = approved.get(question);
    if (kept == null) {
      return null;
    }
    // What is decided when it is asked for becomes more.
    long now = kept.resources.bytes();
    approvedBytes += now - kept.bytes;
    approved.put(question, new ApprovedEntry(kept.resources, now));
    return kept.resources;
  }

  /// Keeps those that were used last, as many as there is room for.
  private synchronized void keep(CacheKey question, ApprovedResources made) {
    ApprovedEntry added = new ApprovedEntry(made, made.bytes());
    ApprovedEntry before = approved.put(question, added);
    approvedBytes += added.bytes - (before == null ? 0 : before.bytes);
    Iterator<ApprovedEntry> oldest = approved.values().iterator();
    while (approvedBytes > maxBytes / APPROVED_FRACTION && approved.size() > 1) {
      approvedBytes -= oldest.next().bytes;
      oldest.remove();
    }
  }

  /// The resources on which a subject has a right by what is stated.
  ///
  /// @param implicit what every resource is in without any statement
  public PermittedResources of(
      CompiledIndex index, String subject, List<String> implicit, int right) {
    ResourceClasses classified = classes.of(index);
    CacheKey question = new CacheKey(subject, implicit, right);
    PermittedResources known = find(classified, question);
    if (known != null) {
      return known;
    }
    CompiledCheck check = new CompiledCheck(index);
    check.subject(subject);
    check.implicit(implicit);
    Key key = key(check, right);
    PermittedResources alike = find(classified, key);
    return keep(
        classified,
        question,
        key,
        alike == null
            ? new PermittedResources(check, classified, folders.of(index.dictionary()), right, most)
            : alike);
  }

  /// Forgets what was decided: the state is another one.
  public synchronized void forget() {
    decided.clear();
    asked.clear();
    approved.clear();
    state = null;
    bytes = 0;
    approvedBytes = 0;
  }

  /// About how much memory it takes.
  public synchronized long bytes() {
    return bytes + approvedBytes + classes.bytes();
  }

  private static Key key(CompiledCheck check, int right) {
    long[] subjects = new long[check.subjects().size()];
    int size = 0;
    for (int i = 0; i < subjects.length; i++) {
      int id = check.subjects().id(i);
      boolean exclusive = check.isExclusiveAt(i);
      if (exclusive || !check.index().entry(id).objects().isEmpty()) {
        subjects[size++] = (long) id << SUBJECT_BITS | (exclusive ? 1 << 4 : 0) | check.rightsAt(i);
      }
    }
    subjects = Arrays.copyOf(subjects, size);
    Arrays.sort(subjects);
    int[] implicit = new int[check.implicitSize()];
    int groups = 0;
    for (int i = 0; i < implicit.length; i++) {
      // Of others nothing is known, so that they make no difference.
      if (!check.index().entry(check.implicit(i)).isEmpty()) {
        implicit[groups++] = check.implicit(i);
      }
    }
    implicit = Arrays.copyOf(implicit, groups);
    Arrays.sort(implicit);
    return new Key(subjects, implicit, right);
  }

  private synchronized @Nullable PermittedResources find(
      ResourceClasses classified, CacheKey question) {
    Key key = asked.get(question);
    return key == null ? null : find(classified, key);
  }

  private synchronized @Nullable PermittedResources find(ResourceClasses classified, Key key) {
    CacheEntry kept = classified == state ? decided.get(key) : null;
    if (kept == null) {
      return null;
    }
    bytes += kept.grown();
    return kept.permitted;
  }

  /// What was decided while others searched is counted, too.
  private void makeRoom() {
    decided.values().forEach(kept -> bytes += kept.grown());
    Iterator<CacheEntry> oldest = decided.values().iterator();
    while (bytes > maxBytes && oldest.hasNext()) {
      CacheEntry gone = oldest.next();
      oldest.remove();
      bytes -= gone.bytes;
      asked.values().removeIf(key -> key.equals(gone.key));
    }
  }

  /// @return the one that is kept: another one may have been decided meanwhile
  private synchronized PermittedResources keep(
      ResourceClasses classified, CacheKey question, Key key, PermittedResources permitted) {
    if (state != classified) {
      state = classified;
      decided.clear();
      asked.clear();
      bytes = 0;
    }
    if (asked.size() >= MAX_ASKED) {
      asked.clear();
    }
    CacheEntry other = decided.get(key);
    if (other != null) {
      // The same key, and not another one of a great many numbers.
      asked.put(question, other.key);
      return other.permitted;
    }
    decided.put(key, new CacheEntry(key, permitted));
    asked.put(question, key);
    makeRoom();
    return permitted;
  }
}
