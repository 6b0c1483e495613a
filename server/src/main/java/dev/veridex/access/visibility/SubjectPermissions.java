package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.CompiledIndex;
import dev.veridex.access.compiled.IdSet;
import dev.veridex.access.compiled.PackedRecord;
import dev.veridex.access.compiled.PermissionBits;
import dev.veridex.access.compiled.SparseBytes;
import org.jspecify.annotations.Nullable;

/// The permissions of a subject on objects, for one right: gathered from the subject's side, so
/// that it takes as long as there are permissions that name the subject or its groups, however many
/// objects there are.
///
/// That an object is closed to others is no matter of who asks, and is not in here.
final class SubjectPermissions {
  /// Objects of which some permission names the subject or a group of it, under filters or not.
  private final IdSet named;

  private final SparseBytes objects;

  private SubjectPermissions(IdSet named, SparseBytes objects) {
    this.named = named;
    this.objects = objects;
  }

  /// @param check whose subject is set
  /// @param most so many permissions are looked at; nothing comes of more
  static @Nullable SubjectPermissions of(CompiledCheck check, int right, int most) {
    CompiledIndex index = check.index();
    long size = 0;
    for (int i = 0; i < check.subjects().size(); i++) {
      size += index.entry(check.subjects().id(i)).objects().size();
    }
    if (size > most) {
      return null;
    }
    IdSet named = IdSet.upTo(index.bound());
    SparseBytes objects = new SparseBytes(index.bound());
    for (int i = 0; i < check.subjects().size(); i++) {
      int rights = check.rightsAt(i) & right;
      index
          .entry(check.subjects().id(i))
          .objects()
          .forEach(
              record -> {
                named.add(PackedRecord.id(record));
                objects.add(PackedRecord.id(record), PermissionBits.ofSingle(record, rights));
              });
    }
    return new SubjectPermissions(named, objects);
  }

  /// What is said of an object for a single right: [PermissionBits#GRANTS],
  /// [PermissionBits#GRANTS_MARKED] and [PermissionBits#DENIES].
  int of(int id) {
    return named.has(id) ? objects.get(id) : 0;
  }

  /// Whether anything is said of an object at all. If not, it gives nothing.
  boolean isNamed(int id) {
    return named.has(id);
  }

  /// About how much memory it takes.
  long bytes() {
    return 24 + named.bytes() + objects.bytes();
  }
}
