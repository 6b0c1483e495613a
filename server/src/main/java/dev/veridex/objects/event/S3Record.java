package dev.veridex.objects.event;

import dev.veridex.common.VeridexException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The shape of a record of an S3 notification. Its keys are form-URL-encoded.
final class S3Record implements EventParser.RecordShape {
  private static final int HEX = 16;
  private static final int ESCAPE = 3;

  @Override
  public ParsedRecord read(EventNode node) {
    if (!node.node().isObject()) {
      throw node.wrong("A record is a JSON object.");
    }
    String name = node.text("eventName");
    Optional<EventClass> found =
        EventClass.ofNotification(name.startsWith("s3:") ? name.substring(3) : name);
    if (found.isEmpty()) {
      return new ParsedRecord.Skipped(name);
    }
    EventNode s3 = node.object("s3");
    EventNode object = s3.object("object");
    String key = decoded(object, object.text("key"));
    EventNode tier = node.objectOrNone("intelligentTieringEventData");
    return new ParsedRecord.Event(
        EventShape.event(
            found.get(),
            node,
            new EventShape.Names(s3.object("bucket").text("name"), key, "eventTime"),
            object,
            new EventShape.Tiers(
                node.objectOrNone("lifecycleEventData")
                    .objectOrNone("transitionEventData")
                    .brief("destinationStorageClass", EventNode.CLASS_BYTES),
                tier.brief("destinationAccessTier", EventNode.CLASS_BYTES)),
            "eTag",
            "versionId"));
  }

  /// The text of a form-URL-encoded key.
  private static String decoded(EventNode object, String given) {
    byte[] bytes = given.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      switch (bytes[i]) {
        case '+' -> out.write(' ');
        case '%' -> {
          int high = i + 1 < bytes.length ? Character.digit(bytes[i + 1], HEX) : -1;
          int low = i + 2 < bytes.length ? Character.digit(bytes[i + 2], HEX) : -1;
          if (high < 0 || low < 0) {
            throw broken(object);
          }
          out.write(high * HEX + low);
          i += ESCAPE - 1;
        }
        default -> out.write(bytes[i]);
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(out.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw broken(object);
    }
  }

  private static VeridexException broken(EventNode object) {
    return new EventNode(object.node(), object.pointer() + "/key")
        .wrong("The key is not form-URL-encoded UTF-8: a percent escape is broken.");
  }
}
