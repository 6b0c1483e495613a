package dev.veridex.access.compiled;

import org.jspecify.annotations.Nullable;

/// What permissions say to a subject of objects, for one right: gathered from the subject's side,
/// so that it takes as long as there are permissions that name the subject or its groups, however
/// many objects there are.
///
/// That an object is closed to others is no matter of who asks, and is not in here.
final class Said {
  private final Bytes objects;

  private Said(Bytes objects) {
    this.objects = objects;
  }

  /// @param check whose subject is set
  /// @param right a single one
  /// @param most so many permissions are looked at; nothing comes of more
  static @Nullable Said of(CompiledCheck check, int right, int most) {
    Compiled index = check.index();
    long size = 0;
    for (int i = 0; i < check.subjects().size(); i++) {
      size += index.entry(check.subjects().id(i)).objects().size();
    }
    if (size > most) {
      return null;
    }
    Bytes objects = new Bytes(index.bound());
    for (int i = 0; i < check.subjects().size(); i++) {
      int rights = check.rightsAt(i) & right;
      if (rights != 0) {
        RecordSet own = index.entry(check.subjects().id(i)).objects();
        own.forEach(record -> objects.add(Packed.id(record), CompiledCheck.heard(record, rights)));
      }
    }
    return new Said(objects);
  }

  /// What is said of an object: [CompiledCheck#GRANTS], [CompiledCheck#GRANTS_MARKED] and
  /// [CompiledCheck#DENIES].
  int of(int id) {
    return objects.get(id);
  }

  /// About how much memory it takes.
  long bytes() {
    return 16 + objects.bytes();
  }
}
