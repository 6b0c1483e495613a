package dev.veridex.objects;

import dev.veridex.objects.catalogue.ObjectRow;
import dev.veridex.objects.event.EventPlace;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/// A field of a row, by which rows are filtered and sorted.
enum ObjectField {
  ID("id", Kind.TEXT),
  TYPE("type", Kind.TEXT),
  BUCKET("bucket", Kind.TEXT),
  KEY("key", Kind.TEXT),
  VERSION_ID("versionId", Kind.TEXT),
  EVENT_TIME("eventTime", Kind.TIME),
  SIZE("size", Kind.NUMBER),
  SHA256("sha256", Kind.TEXT),
  LAST_MODIFIED("lastModified", Kind.TIME),
  E_TAG("eTag", Kind.TEXT),
  STORAGE_CLASS("storageClass", Kind.TEXT),
  SEQUENCER("sequencer", Kind.SEQUENCER),
  IS_DELETE_MARKER("isDeleteMarker", Kind.FLAG),
  REASON("reason", Kind.TEXT),
  ARCHIVE_STATUS("archiveStatus", Kind.TEXT),
  IS_CURRENT_STATE("isCurrentState", Kind.FLAG),
  IS_ACCESSIBLE("isAccessible", Kind.FLAG),
  INGEST_ID("ingestId", Kind.TEXT),
  NUMBER_DUPLICATE_EVENTS("numberDuplicateEvents", Kind.NUMBER),
  DELETED_DATE("deletedDate", Kind.TIME),
  DELETED_SEQUENCER("deletedSequencer", Kind.SEQUENCER),
  NUMBER_REORDERED("numberReordered", Kind.NUMBER);

  /// The kind of values of a field.
  enum Kind {
    TEXT,
    NUMBER,
    TIME,
    FLAG,
    SEQUENCER
  }

  private final String text;
  private final Kind kind;

  ObjectField(String text, Kind kind) {
    this.text = text;
    this.kind = kind;
  }

  /// Its name in requests and answers.
  String text() {
    return text;
  }

  Kind kind() {
    return kind;
  }

  static Optional<ObjectField> of(String text) {
    return Arrays.stream(values()).filter(each -> each.text.equals(text)).findAny();
  }

  private Optional<?> value(ObjectRow row) {
    return switch (this) {
      case ID -> Optional.of(row.id().toString());
      case TYPE -> Optional.of(row.type().text());
      case BUCKET -> Optional.of(row.object().bucket());
      case KEY -> Optional.of(row.object().key());
      case VERSION_ID -> Optional.of(row.identity().versionId());
      case EVENT_TIME -> row.eventTime();
      case SIZE -> row.facts().size();
      case SHA256 -> row.facts().sha256();
      case LAST_MODIFIED -> row.facts().lastModified();
      case E_TAG -> row.facts().eTag();
      case STORAGE_CLASS -> row.facts().storageClass();
      case SEQUENCER -> row.sequencer();
      case IS_DELETE_MARKER -> Optional.of(row.isMarker());
      case REASON -> Optional.of(row.reason().text());
      case ARCHIVE_STATUS -> row.facts().archiveStatus();
      case IS_CURRENT_STATE -> Optional.of(row.isCurrent());
      case IS_ACCESSIBLE -> Optional.of(row.isAccessible());
      case INGEST_ID -> row.facts().ingestId();
      case NUMBER_DUPLICATE_EVENTS -> Optional.of(row.duplicates());
      case DELETED_DATE -> row.deletion().map(ObjectRow.Deletion::time);
      case DELETED_SEQUENCER -> row.deletion().map(ObjectRow.Deletion::sequencer);
      case NUMBER_REORDERED -> Optional.of(row.reordered());
    };
  }

  /// The value in a row as text.
  Optional<String> in(ObjectRow row) {
    return value(row).map(Object::toString);
  }

  /// The value in a row, to be compared with others of the same field.
  Optional<Comparable<?>> comparable(ObjectRow row) {
    return value(row).flatMap(each -> comparable(each.toString()));
  }

  /// What a text stands for; absent if it is none of this field.
  Optional<Comparable<?>> comparable(String given) {
    try {
      return switch (kind) {
        case TEXT -> Optional.of(given);
        case NUMBER -> Optional.of(Long.parseLong(given));
        case TIME -> Optional.of(Instant.parse(given));
        case FLAG ->
            given.equals("true") || given.equals("false")
                ? Optional.of(Boolean.valueOf(given))
                : Optional.empty();
        case SEQUENCER -> EventPlace.of(given).map(each -> each);
      };
    } catch (NumberFormatException | DateTimeException e) {
      return Optional.empty();
    }
  }
}
