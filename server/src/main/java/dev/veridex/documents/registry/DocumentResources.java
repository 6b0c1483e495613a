package dev.veridex.documents.registry;

import dev.veridex.buckets.BucketSettings;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.JsonPointer;
import dev.veridex.common.KeyWriter;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// The resources of a document: rights on all of them are rights on it. Usually that is its key;
/// where the bucket names a field for it, the values of that field.
public final class DocumentResources {
  private static final int MAX_BYTES = 1100;
  private static final int MAX_RESOURCES = 100;

  private DocumentResources() {}

  /// The resources of a document; none of one that nobody has rights on.
  public static List<String> of(IndexedSettings settings, String pk, RawDocument document) {
    return settings.resourceField().isEmpty()
        ? List.of(settings.resource(pk))
        : values(settings.resourceField().get(), document)
            .filter(DocumentResources::isGood)
            .map(Value::getText)
            .distinct()
            .toList();
  }

  private static java.util.stream.Stream<Value> values(String name, RawDocument document) {
    return document.getFieldsList().stream()
        .filter(field -> field.getName().equals(name))
        .map(Field::getValuesList)
        .flatMap(List::stream);
  }

  /// The violation of the rules for resources that a document names.
  public static Optional<Violation> violation(DocumentSettings settings, RawDocument document) {
    return settings
        .resourceField()
        .filter(
            name ->
                values(name, document).count() > MAX_RESOURCES
                    || !values(name, document).allMatch(DocumentResources::isGood))
        .map(
            name ->
                new Violation(
                    ErrorCode.BAD_KEY,
                    "a document has at most 100 resources, whose ids are texts of 1 to 1100 bytes"
                        + " that do not begin with bucket: or s3://",
                    JsonPointer.member("/fields", name)));
  }

  private static boolean isGood(Value value) {
    String id = value.getText();
    int bytes = id.getBytes(StandardCharsets.UTF_8).length;
    return value.hasText()
        && bytes > 0
        && bytes <= MAX_BYTES
        && KeyWriter.isWellFormed(id)
        && !BucketSettings.isReserved(id);
  }
}
