package dev.veridex.access.statement;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A parsed individual.
///
/// More than eight components: one component for each member of a statement that counts.
///
/// @param kind absent if its type is not indexed
/// @param names the records it names: every object with every subject, each once
/// @param logins of an account that is not deleted, in lower case
/// @param bits the rights it grants and denies
/// @param dropCount whether it is a command: it strikes what others said before it
/// @param updateCounter how often its author changed it, if the author counts
/// @param content all of it as JSON, its members in order
public record Individual(
    String id,
    Optional<IndividualType> kind,
    List<RecordId> names,
    List<String> logins,
    int bits,
    Marker marker,
    boolean deleted,
    boolean dropCount,
    Optional<Long> updateCounter,
    byte[] content) {

  public Individual {
    names = List.copyOf(names);
    logins = List.copyOf(logins);
  }

  /// Whether it is a command that is not deleted, so that what earlier ones named stays.
  public boolean isLiveCommand() {
    return dropCount && !deleted;
  }

  @Override
  public boolean equals(Object other) {
    // Everything else is read from the content.
    return other instanceof Individual that && Arrays.equals(content, that.content);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(content);
  }
}
