package dev.veridex.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Timestamp;
import dev.veridex.common.Expiry;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.json.JsonText;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.Field;
import dev.veridex.protocol.RawDocument;
import dev.veridex.protocol.Value;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Documents of 1 KiB, as messages, as their bytes and as JSON: the same for everybody.
///
/// What they say is made beforehand and only the key is put in: whoever is measured is not charged
/// for making them up. There are too many kinds of them to meet in one block of a compressed file.
final class DocumentData {
  static final int BYTES = 1024;

  /// How many share a commit in bulk: what the receiver takes at once.
  static final int BATCH = 500;

  private static final int KINDS = 1024;
  private static final int USUAL_KEY_BYTES = "offer-1000000".length();

  private static final Instant MODIFIED_AT =
      Instant.now().minus(Duration.ofMinutes(1)).truncatedTo(ChronoUnit.MICROS);

  private static final AtomicLong NEXT = new AtomicLong(1_000_000);
  private static final RawDocument[] MESSAGES = new RawDocument[KINDS];
  private static final byte[][] AFTER_KEY = new byte[KINDS][];
  private static final byte[][] JSON_AFTER_KEY = new byte[KINDS][];

  static {
    SplittableRandom random = new SplittableRandom(1);
    for (int kind = 0; kind < KINDS; kind++) {
      make(kind, random);
    }
  }

  private DocumentData() {}

  /// Numbers that nobody else has.
  ///
  /// @return the first of them
  static long take(int count) {
    return NEXT.getAndAdd(count);
  }

  /// How many numbers were taken so far.
  static long taken() {
    return NEXT.get();
  }

  static String pk(long n) {
    return "offer-" + n;
  }

  static long modifiedMicros() {
    return Expiry.micros(MODIFIED_AT);
  }

  private static int kind(long n) {
    return (int) (n % KINDS);
  }

  static RawDocument message(long n) {
    return MESSAGES[kind(n)].toBuilder().setPk(pk(n)).build();
  }

  /// A message as bytes, put together without writing it.
  static byte[] bytes(long n) {
    byte[] pk = pk(n).getBytes(UTF_8);
    byte[] rest = AFTER_KEY[kind(n)];
    return ByteBuffer.allocate(2 + pk.length + rest.length)
        .put((byte) (RawDocument.PK_FIELD_NUMBER << 3 | 2))
        .put((byte) pk.length)
        .put(pk)
        .put(rest)
        .array();
  }

  static byte[] json(long n) {
    return Loopback.joined(("{\"pk\":\"" + pk(n) + "\",").getBytes(UTF_8), JSON_AFTER_KEY[kind(n)]);
  }

  static List<DocumentInput> messages(int count) {
    long first = take(count);
    List<DocumentInput> inputs = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      inputs.add(new DocumentInput.Parsed(message(first + i), List.of()));
    }
    return inputs;
  }

  /// The same from texts, which are parsed.
  static List<DocumentInput> parsed(int count) {
    long first = take(count);
    List<DocumentInput> inputs = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      inputs.add(DocumentJson.read(JsonText.read(json(first + i))));
    }
    return inputs;
  }

  private static void make(int kind, SplittableRandom random) {
    String title = words(60, random);
    String brand = words(16, random);
    List<String> tags = List.of(words(8, random), words(8, random), words(8, random));
    long price = random.nextInt(1_000_000);
    double score = random.nextInt(1000) / 8.0;
    RawDocument brief = message(title, "", brand, tags, price, score);
    // The text takes two bytes more for each of the lengths that stand before it.
    int room = BYTES - brief.getSerializedSize() - USUAL_KEY_BYTES - 4;
    String text = words(room, random);
    MESSAGES[kind] = message(title, text, brand, tags, price, score);
    AFTER_KEY[kind] = MESSAGES[kind].toByteArray();
    byte[] json = JsonText.write(json(title, text, brand, tags, price, score));
    JSON_AFTER_KEY[kind] = Arrays.copyOfRange(json, 1, json.length);
    check(kind);
  }

  private static void check(int kind) {
    DocumentInput same = new DocumentInput.Parsed(message(kind), List.of());
    if (!DocumentJson.read(JsonText.read(json(kind))).equals(same)
        || !Arrays.equals(bytes(kind), message(kind).toByteArray())) {
      throw new IllegalStateException("the forms of a document differ");
    }
  }

  /// Text in which hardly anything comes twice.
  private static String words(int length, SplittableRandom random) {
    StringBuilder text = new StringBuilder(length + 13);
    while (text.length() < length) {
      text.append(Long.toString(random.nextLong() >>> 1, 36), 0, random.nextInt(3, 11)).append(' ');
    }
    text.setLength(length);
    return text.toString();
  }

  private static RawDocument message(
      String title, String text, String brand, List<String> tags, long price, double score) {
    Field.Builder tagged = Field.newBuilder().setName("tags");
    tags.forEach(tag -> tagged.addValues(Value.newBuilder().setText(tag)));
    return RawDocument.newBuilder()
        .setEpoch(1)
        .setVersion(1)
        .setModifiedAt(
            Timestamp.newBuilder()
                .setSeconds(MODIFIED_AT.getEpochSecond())
                .setNanos(MODIFIED_AT.getNano()))
        .setAction(Action.UPSERT)
        .addFields(field("title", Value.newBuilder().setText(title)))
        .addFields(field("text", Value.newBuilder().setText(text)))
        .addFields(field("brand", Value.newBuilder().setText(brand)))
        .addFields(tagged)
        .addFields(field("price", Value.newBuilder().setInteger(price)))
        .addFields(field("score", Value.newBuilder().setDecimal(score)))
        .addFields(field("new", Value.newBuilder().setBoolean(true)))
        .build();
  }

  private static Field field(String name, Value.Builder value) {
    return Field.newBuilder().setName(name).addValues(value).build();
  }

  private static ObjectNode json(
      String title, String text, String brand, List<String> tags, long price, double score) {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("epoch", 1)
            .put("version", 1)
            .put("modifiedAt", MODIFIED_AT.toString())
            .put("action", "UPSERT");
    ObjectNode fields = json.putObject("fields");
    fields.put("title", title).put("text", text).put("brand", brand);
    tags.forEach(fields.putArray("tags")::add);
    fields.put("price", price).put("score", score).put("new", true);
    return json;
  }
}
