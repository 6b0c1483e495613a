package dev.veridex.demo;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The events of a laboratory's object store, as they come: in no order, each of them twice. The
/// same each time.
public final class LabStore {
  /// The bucket of the object store.
  public static final String BUCKET = "lab";

  private static final Instant BEGIN = Instant.parse("2024-01-01T00:00:00Z");
  private static final List<String> KINDS = List.of("reads.fastq.gz", "aligned.bam", "report.html");
  private static final long FIRST = 0x0055AED6DCD90281L;
  private static final int YEARS = 3;
  private static final int SAMPLES = 4000;

  private final Random random = new Random(2027);
  private final int events;

  /// @param events how many different ones there are
  public LabStore(int events) {
    this.events = events;
  }

  /// The messages, one record each; each comes twice.
  public List<JsonNode> messages() {
    List<JsonNode> messages = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      messages.add(message(i));
    }
    messages.addAll(List.copyOf(messages));
    Collections.shuffle(messages, random);
    return messages;
  }

  private JsonNode message(int number) {
    int sample = random.nextInt(SAMPLES);
    Instant time = BEGIN.plus((long) number * YEARS * 365 * 24 * 60 / events, ChronoUnit.MINUTES);
    boolean deleted = random.nextInt(9) == 0;
    ObjectNode message = JsonNodeFactory.instance.objectNode();
    ObjectNode record = message.putArray("Records").addObject();
    record
        .put("eventTime", time.toString())
        .put("eventName", deleted ? "ObjectRemoved:Delete" : "ObjectCreated:Put");
    ObjectNode s3 = record.putObject("s3");
    s3.putObject("bucket").put("name", BUCKET);
    ObjectNode object =
        s3.putObject("object")
            .put(
                "key",
                "runs/%d/sample-%04d/%s"
                    .formatted(2024 + sample % YEARS, sample, KINDS.get(random.nextInt(3))))
            .put("sequencer", "%018X".formatted(FIRST + number));
    if (!deleted) {
      object
          .put("size", 1000L + random.nextInt(2_000_000_000))
          .put("eTag", "%032x".formatted(random.nextLong() >>> 1));
    }
    return message;
  }
}
