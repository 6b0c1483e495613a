package dev.veridex.http.routes;

import dev.veridex.access.AccessChanges;
import dev.veridex.access.AccessChanges.Changed;
import dev.veridex.access.AccessChanges.Position;
import dev.veridex.access.AccessIndex;
import dev.veridex.access.LoggedChange;
import dev.veridex.access.Signals;
import dev.veridex.accounts.Place;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.Problems;
import dev.veridex.http.Reply;
import dev.veridex.http.Right;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.Where;
import dev.veridex.http.shape.JsonText;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The changes of an index as they come, as server-sent events.
///
/// An event's id is the revision of its commit, and only the last event of a commit has one: so
/// whoever goes on after the last id that he has heard gets whole commits, some twice perhaps, none
/// left out. Now and then an id comes without an event, so that those to whom nothing happens do
/// not fall behind what is kept.
public final class ChangeRoutes {
  private static final String EVENTS = "text/event-stream";
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  /// So often it is looked whether the server is about to stop.
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private static final Parameter<String> SINCE =
      Parameter.query(
          "since", Type.TEXT, "a revision, as any answer brings one; absent: from now on");
  private static final Parameter<String> LAST_EVENT =
      Parameter.header(
          "Last-Event-ID", Type.TEXT, "the id of the last event that came; counts before since");
  private static final Parameter<Boolean> FOLLOW =
      Parameter.query("follow", Type.BOOLEAN, "false: end when everything so far was told");

  private final AccessIndex index;
  private final AccessChanges changes;
  private final RevisionSeal seal;
  private final BooleanSupplier stopping;

  /// @param stopping whether the server is about to stop
  public ChangeRoutes(
      AccessIndex index, AccessChanges changes, RevisionSeal seal, BooleanSupplier stopping) {
    this.index = index;
    this.changes = changes;
    this.seal = seal;
    this.stopping = stopping;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.GET,
                "/v1/accounts/{account}/changes",
                "access.changes",
                "The individuals that are applied, as server-sent events")
            .needs(new Right.Administers<>(new Where.Inside<>()))
            .takes(Route.ACCOUNT, SINCE, LAST_EVENT, FOLLOW)
            .answers(
                new Reply<Payload>(
                    List.of(200), Optional.empty(), List.of(EVENTS), payload -> payload),
                this::changes));
  }

  private Answer<Payload> changes(Call<NoBody> call) {
    Place place = Place.of(call.scope());
    Optional<Revision> since = call.find(LAST_EVENT).or(() -> call.find(SINCE)).map(seal::open);
    // Now, while there is a status to say that it cannot be.
    Position begin = changes.begin(place, since);
    call.room().accept(2L * AccessChanges.PART_BYTES);
    AccessIndex.Target target = index.target(place);
    boolean follow = call.find(FOLLOW).orElse(true);
    if (follow) {
      call.goesOn().run();
    }
    return Answer.<Payload>of(
            new Payload.Streamed(EVENTS, out -> new Telling(call, target, out).run(begin, follow)))
        .with("Cache-Control", "no-store");
  }

  /// One stream of events.
  private final class Telling {
    private final Call<?> call;
    private final AccessIndex.Target target;
    private final OutputStream out;

    private Telling(Call<?> call, AccessIndex.Target target, OutputStream out) {
      this.call = call;
      this.target = target;
      this.out = out;
    }

    private void run(Position begin, boolean follow) throws IOException {
      try (Signals.Signal signal = changes.listen(target.place())) {
        Position told = begin;
        boolean more = true;
        while (more) {
          told = tell(told);
          more = follow && pause(signal);
        }
      } catch (VeridexException e) {
        event("problem", JsonText.write(Problems.json(e.problem())), Optional.empty());
      }
    }

    /// Tells all that is there.
    private Position tell(Position since) throws IOException {
      // It may have been going on for hours, and the token have been revoked.
      call.again().run();
      Position told = since;
      boolean more = true;
      while (more) {
        AccessChanges.Part some = changes.after(target, told);
        for (Changed each : some.changes()) {
          String revision = seal.seal(each.revision());
          event(
              "individual",
              JsonText.write(json(each, revision)),
              each.last() ? Optional.of(revision) : Optional.empty());
        }
        told = some.until();
        more = some.more();
      }
      write("id: " + seal.seal(told.seen()) + "\n\n");
      out.flush();
      return told;
    }

    /// Waits for changes, or until it is time to show that the connection is alive.
    ///
    /// @return whether to go on
    private boolean pause(Signals.Signal signal) {
      for (long looked = 0; looked < HEARTBEAT.dividedBy(LOOK_EVERY); looked++) {
        if (stopping.getAsBoolean()) {
          throw new VeridexException(Problem.of(ErrorCode.STOPPING, "the server is about to stop"));
        }
        if (signal.await(LOOK_EVERY)) {
          break;
        }
      }
      return !Thread.currentThread().isInterrupted();
    }

    private void event(String type, byte[] data, Optional<String> id) throws IOException {
      if (id.isPresent()) {
        write("id: " + id.get() + "\n");
      }
      // JSON has no line breaks outside of texts, and inside it writes them as escapes.
      write("event: " + type + "\ndata: ");
      out.write(data);
      write("\n\n");
    }

    private void write(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static JsonNode json(Changed changed, String revision) {
    LoggedChange change = changed.change();
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("individual", change.individual());
    json.put("status", change.status().text());
    json.putObject("op").put("opId", change.op().opId()).put("n", change.op().n());
    json.set(
        "state", change.content().map(JsonText::read).orElse(JsonNodeFactory.instance.nullNode()));
    if (change.number() == 1) {
      // Of an account that was deleted and made again, nothing before this counts.
      json.put("first", true);
    }
    json.put("revision", revision);
    json.put("time", changed.time().toString());
    return json;
  }
}
