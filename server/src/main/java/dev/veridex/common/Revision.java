package dev.veridex.common;

/// A point in the history of one store: everything committed up to `sequence`.
///
/// Callers outside the process only ever see it sealed, see [RevisionSeal].
///
/// @param storeId says which store, and changes when a store is restored from a backup
/// @param sequence the commit's place in the order of all commits; 0 is the empty store
public record Revision(long storeId, long sequence) {
  public Revision {
    if (sequence < 0) {
      throw new IllegalArgumentException("a revision's sequence is not negative");
    }
  }
}
