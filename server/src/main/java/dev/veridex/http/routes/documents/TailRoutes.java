package dev.veridex.http.routes.documents;

import dev.veridex.common.Namespace;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.EventStream;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.search.query.DocumentTail;
import dev.veridex.search.query.DocumentTail.Position;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The documents of a bucket as they become searchable, as server-sent events.
public final class TailRoutes {
  private static final Parameter<String> SINCE =
      Parameter.query("since", Type.TEXT, "the id of an event; absent: from now on");

  private final DocumentTail tail;
  private final BooleanSupplier stopping;

  /// @param stopping whether the server is about to stop
  public TailRoutes(DocumentTail tail, BooleanSupplier stopping) {
    this.tail = tail;
    this.stopping = stopping;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.GET,
                DocumentRoutes.BUCKET + "/changes",
                "document.changes",
                "The documents that become searchable, as server-sent events")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(
                Route.ACCOUNT,
                BucketRoutes.BUCKET,
                SINCE,
                EventStream.LAST_EVENT,
                EventStream.FOLLOW)
            .answers(EventStream.REPLY, this::changes));
  }

  private Answer<Payload> changes(Call<NoBody> call) {
    TailSource telling = new TailSource(call);
    // Now, while there is a status to say that it cannot be.
    Position begin =
        tail.begin(
            DocumentRoutes.asking(call),
            telling.namespace,
            telling.bucket,
            call.find(EventStream.LAST_EVENT).or(() -> call.find(SINCE)));
    call.room().accept(DocumentTail.PART_BYTES);
    boolean follow = call.find(EventStream.FOLLOW).orElse(true);
    if (follow) {
      call.goesOn().run();
    }
    return Answer.<Payload>of(
            new Payload.Streamed(
                EventStream.EVENTS,
                out -> new EventStream<Position>(call, out, stopping).run(telling, begin, follow)))
        .with("Cache-Control", "no-store");
  }

  /// The documents of one bucket.
  private final class TailSource implements EventStream.Source<Position> {
    private final Call<NoBody> call;
    private final Namespace namespace;
    private final String bucket;

    private TailSource(Call<NoBody> call) {
      this.call = call;
      this.namespace = Namespace.of(call.scope());
      this.bucket = call.get(BucketRoutes.BUCKET);
    }

    @Override
    public EventStream.Progress<Position> tell(Position since, EventStream<Position> stream)
        throws IOException {
      DocumentTail.Part part = tail.after(DocumentRoutes.asking(call), namespace, bucket, since);
      for (DocumentTail.Event each : part.told()) {
        stream.event("document", json(each), Optional.empty());
      }
      return new EventStream.Progress<>(part.until(), part.more());
    }

    @Override
    public boolean await(Position told, Duration patience) {
      return tail.await(told, patience);
    }

    @Override
    public String id(Position position) {
      return tail.id(namespace, bucket, position);
    }
  }

  private static JsonNode json(DocumentTail.Event told) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("pk", told.pk());
    json.put("action", told.entry().isPresent() ? "UPSERT" : "DELETE");
    json.put("epoch", told.tuple().epoch()).put("version", told.tuple().version());
    json.put("modifiedAt", told.tuple().modifiedAt().toString());
    told.entry()
        .ifPresent(
            entry -> {
              entry.expiresAt().ifPresent(end -> json.put("expiresAt", end.toString()));
              json.set("fields", DocumentJson.writeFields(entry.document()));
            });
    return json;
  }
}
