package dev.veridex.http.routes;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Call;
import dev.veridex.http.Payload;
import dev.veridex.http.Problems;
import dev.veridex.http.Reply;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.json.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/// A stream of server-sent events, which goes on for as long as somebody listens.
///
/// Whoever goes on after the last id that he has heard is told everything after it, some of it
/// twice perhaps. Now and then an id comes without an event, so that those to whom nothing happens
/// do not fall behind what is kept.
///
/// @param <P> a position in what is told
public final class EventStream<P> {
  public static final String EVENTS = "text/event-stream";

  public static final Parameter<String> LAST_EVENT =
      Parameter.header(
          "Last-Event-ID", Type.TEXT, "the id of the last event that came; counts before since");
  public static final Parameter<Boolean> FOLLOW =
      Parameter.query("follow", Type.BOOLEAN, "false: end when everything so far was told");

  /// The reply of event streams.
  public static final Reply<Payload> REPLY =
      new Reply<>(List.of(200), Optional.empty(), List.of(EVENTS), payload -> payload);

  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  /// So often it is looked whether the server is about to stop.
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final Call<?> call;
  private final OutputStream out;
  private final BooleanSupplier stopping;

  /// @param stopping whether the server is about to stop
  public EventStream(Call<?> call, OutputStream out, BooleanSupplier stopping) {
    this.call = call;
    this.out = out;
    this.stopping = stopping;
  }

  /// The position after some events.
  ///
  /// @param until where it ends
  /// @param more whether there is more at once
  public record Progress<P>(P until, boolean more) {}

  /// The source of events.
  public interface Source<P> {
    /// Tells what is there after a position, or some of it.
    Progress<P> tell(P since, EventStream<P> stream) throws IOException;

    /// Waits until there may be something after a position, or the time is over.
    ///
    /// @return whether there may be
    boolean await(P told, Duration patience);

    /// Where to go on after a position.
    String id(P position);
  }

  /// Sends what the source tells, from a position on.
  ///
  /// @param follow whether to go on when everything was told
  public void run(Source<P> source, P begin, boolean follow) throws IOException {
    try {
      Progress<P> told = new Progress<>(begin, true);
      do {
        // It may have been going on for hours, and the token have been revoked.
        call.again().run();
        told = source.tell(told.until, this);
        write("id: " + source.id(told.until) + "\n\n");
        out.flush();
      } while (told.more ? !isInterrupted() : follow && pause(source, told.until));
    } catch (VeridexException e) {
      event("problem", Problems.json(e.problem()), Optional.empty());
    }
  }

  /// Waits for something to tell, or until it is time to show that the connection is alive.
  ///
  /// @return whether to go on
  private boolean pause(Source<P> source, P told) {
    for (long looked = 0; looked < HEARTBEAT.dividedBy(LOOK_EVERY); looked++) {
      if (isInterrupted() || source.await(told, LOOK_EVERY)) {
        break;
      }
    }
    return !isInterrupted();
  }

  private boolean isInterrupted() {
    if (stopping.getAsBoolean()) {
      throw new VeridexException(Problem.of(ErrorCode.STOPPING, "the server is about to stop"));
    }
    return Thread.currentThread().isInterrupted();
  }

  /// Tells of one event.
  ///
  /// @param id where to go on after it; absent: in the middle of something
  public void event(String type, JsonNode data, Optional<String> id) throws IOException {
    if (id.isPresent()) {
      write("id: " + id.get() + "\n");
    }
    // JSON has no line breaks outside of texts, and inside it writes them as escapes.
    write("event: " + type + "\ndata: ");
    out.write(JsonText.write(data));
    write("\n\n");
  }

  private void write(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }
}
