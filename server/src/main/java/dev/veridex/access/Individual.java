package dev.veridex.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// One state of a statement, as far as it was understood.
///
/// @param kind absent if its type is not indexed
/// @param objects what it is about, without repetition; of an account its logins, in lower case
/// @param subjects whom it names, without repetition
/// @param filter the filter under which it counts; empty if it counts always
/// @param bits the rights it grants and denies
/// @param dropCount whether it is a command: it strikes what others said before it
/// @param updateCounter how often its author changed it, if the author counts
/// @param content all of it as JSON, its members in order
public record Individual(
    String id,
    Optional<Kind> kind,
    List<String> objects,
    List<String> subjects,
    String filter,
    int bits,
    Marker marker,
    boolean deleted,
    boolean dropCount,
    Optional<Long> updateCounter,
    byte[] content) {

  public Individual {
    objects = List.copyOf(objects);
    subjects = List.copyOf(subjects);
  }

  /// The records it names: every object with every subject.
  public List<RecordId> names() {
    Optional<Prefix> prefix = kind.flatMap(Kind::prefix);
    if (prefix.isEmpty()) {
      return List.of();
    }
    List<RecordId> names = new ArrayList<>(objects.size() * subjects.size());
    for (String object : objects) {
      IndexKey key = new IndexKey(prefix.get(), filter, object);
      for (String subject : subjects) {
        names.add(new RecordId(key, subject));
      }
    }
    return names;
  }

  /// The logins of an account that is not deleted.
  public List<String> logins() {
    return kind.filter(Kind.ACCOUNT::equals).isPresent() && !deleted ? objects : List.of();
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
