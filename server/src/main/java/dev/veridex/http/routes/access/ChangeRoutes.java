package dev.veridex.http.routes.access;

import dev.veridex.access.AccessIndex;
import dev.veridex.access.ChangeFeed;
import dev.veridex.access.ChangeFeed.Event;
import dev.veridex.access.ChangeFeed.Position;
import dev.veridex.access.ChangeSignals;
import dev.veridex.access.ledger.GrantChange;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.access.ledger.LedgerChange;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.Namespace;
import dev.veridex.common.Revision;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.EventStream;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.json.JsonText;
import java.io.IOException;
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
/// whoever goes on after the last id that he has heard gets whole commits, none left out.
public final class ChangeRoutes {
  private static final Parameter<String> SINCE =
      Parameter.query(
          "since", Type.TEXT, "a revision, as any answer brings one; absent: from now on");
  private final AccessIndex index;
  private final ChangeFeed changes;
  private final RevisionSeal seal;
  private final BooleanSupplier stopping;

  /// @param stopping whether the server is about to stop
  public ChangeRoutes(
      AccessIndex index, ChangeFeed changes, RevisionSeal seal, BooleanSupplier stopping) {
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
                "What changes rights: individuals, approvals and membership relationships, as"
                    + " server-sent events")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT, SINCE, EventStream.LAST_EVENT, EventStream.FOLLOW)
            .answers(EventStream.REPLY, this::changes));
  }

  private Answer<Payload> changes(Call<NoBody> call) {
    Namespace namespace = Namespace.of(call.scope());
    Optional<Revision> since =
        call.find(EventStream.LAST_EVENT).or(() -> call.find(SINCE)).map(seal::open);
    // Now, while there is a status to say that it cannot be.
    Position begin = changes.begin(namespace, since);
    call.room().accept(2L * ChangeFeed.PART_BYTES);
    AccessIndex.Target target = index.target(namespace);
    boolean follow = call.find(EventStream.FOLLOW).orElse(true);
    if (follow) {
      call.goesOn().run();
    }
    return Answer.<Payload>of(
            new Payload.Streamed(
                EventStream.EVENTS,
                out -> {
                  try (ChangeSignals.Signal signal = changes.listen(namespace)) {
                    new EventStream<Position>(call, out, stopping)
                        .run(new ChangeSource(target, signal), begin, follow);
                  }
                }))
        .with("Cache-Control", "no-store");
  }

  /// The changes of one index.
  private final class ChangeSource implements EventStream.Source<Position> {
    private final AccessIndex.Target target;
    private final ChangeSignals.Signal signal;

    private ChangeSource(AccessIndex.Target target, ChangeSignals.Signal signal) {
      this.target = target;
      this.signal = signal;
    }

    @Override
    public EventStream.Progress<Position> tell(Position since, EventStream<Position> stream)
        throws IOException {
      Position told = since;
      boolean more = true;
      while (more) {
        ChangeFeed.Part some = changes.after(target, told);
        for (Event each : some.changes()) {
          String revision = seal.seal(each.revision());
          stream.event(
              kind(each.change()),
              json(each, revision),
              each.last() ? Optional.of(revision) : Optional.empty());
        }
        told = some.until();
        more = some.more();
      }
      return new EventStream.Progress<>(told, false);
    }

    @Override
    public boolean await(Position told, Duration patience) {
      return signal.await(patience);
    }

    @Override
    public String id(Position position) {
      return seal.seal(position.seen());
    }
  }

  private static String kind(LedgerChange change) {
    return switch (change) {
      case LedgerChange.Stated _ -> "individual";
      case LedgerChange.Granted _ -> "grant";
    };
  }

  private static JsonNode json(Event changed, String revision) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    switch (changed.change()) {
      case LedgerChange.Stated stated -> {
        json.put("individual", stated.individual());
        json.put("status", stated.status().text());
        json.putObject("op").put("opId", stated.op().opId()).put("n", stated.op().n());
        json.set(
            "state",
            stated.content().map(JsonText::read).orElse(JsonNodeFactory.instance.nullNode()));
      }
      case LedgerChange.Granted(_, GrantChange(GrantChange.Kind what, GrantedRight grant)) -> {
        json.put("status", what.text());
        put(json.putObject(grant.isApproval() ? "approval" : "relationship"), grant);
      }
    }
    if (changed.change().number() == 1) {
      // Of an account that was deleted and made again, nothing before this counts.
      json.put("first", true);
    }
    json.put("revision", revision);
    json.put("time", changed.time().toString());
    return json;
  }

  private static void put(ObjectNode json, GrantedRight grant) {
    String object = grant.id().key().object();
    String subject = grant.id().subject();
    if (grant.isApproval()) {
      json.put("identity", subject).put("resource", object).put("action", grant.name());
      json.put("rights", Rights.letters(grant.rights()));
    } else {
      json.put("subject", object).put("relation", grant.name()).put("object", subject);
    }
    json.put("grantedBy", grant.grantor()).put("grantedAt", grant.since().toString());
    grant.end().ifPresent(end -> json.put("expiresAt", end.toString()));
  }
}
