package dev.veridex.access.check;

import java.util.List;

/// The rights that appear and vanish between two states of an access index.
///
/// @param appear the number of pairs of subject and resource that get each right, in the order
///   `CRUD`
/// @param vanish the number of pairs that lose it
/// @param classes the largest ones
/// @param complete whether everything was compared
public record RightsDifferences(
    List<Long> appear, List<Long> vanish, List<ClassChange> classes, boolean complete) {

  /// A class of subjects and a class of resources between which rights appear or vanish.
  ///
  /// @param subject one of the subjects
  /// @param resource one of the resources; empty for everything that no record is about, which is
  ///   not counted
  public record ClassChange(
      String subject, long subjects, String resource, long resources, int appears, int vanishes) {
    public long pairs() {
      return subjects * resources;
    }
  }
}
