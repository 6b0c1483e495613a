package dev.veridex.http.routes.objects;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.BulkInputs;
import dev.veridex.http.routes.BulkStream;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.routes.documents.DocumentRoutes;
import dev.veridex.http.shape.Type;
import dev.veridex.json.JsonText;
import dev.veridex.objects.EventReceiver;
import dev.veridex.objects.catalogue.EventResult;
import dev.veridex.objects.event.EventParser;
import dev.veridex.objects.event.ParsedRecord;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// Events of object stores: in every shape, late, twice, in any order.
public final class EventRoutes {
  private static final int RESULT_BYTES = 300;
  private static final int MAX_RECORDS = 100_000;

  private final EventReceiver receiver;
  private final RevisionSeal seal;

  public EventRoutes(EventReceiver receiver, RevisionSeal seal) {
    this.receiver = receiver;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.POST,
                DocumentRoutes.BUCKET + "/events",
                "event.put",
                "Take events of an object store: S3 notifications, EventBridge, SNS, SQS")
            .readsBulk(ObjectShapes.example())
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(),
                    "the bucket's ACL: write",
                    call ->
                        receiver.mayReceive(
                            DocumentRoutes.asking(call),
                            Namespace.of(call.scope()),
                            call.get(BucketRoutes.BUCKET))))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, DocumentRoutes.AS)
            .answers(Reply.progress(ObjectShapes.RECEIVED).or(400).or(409).or(503), this::receive));
  }

  private Answer<Payload> receive(Call<Route.Inputs> call) {
    return new Messages(call)
        .handle(call, RESULT_BYTES, "An array has at most 20,000 messages: send more as lines.");
  }

  /// Messages in bulk: each comes to any number of records.
  private final class Messages
      implements BulkInputs<List<ParsedRecord>, EventReceiver.BatchResult> {
    private final Call<Route.Inputs> call;

    private Messages(Call<Route.Inputs> call) {
      this.call = call;
    }

    @Override
    public List<ParsedRecord> ofJson(JsonNode value) {
      return EventParser.parse(value);
    }

    @Override
    public List<ParsedRecord> ofPart(byte[] part, boolean protobuf) {
      try {
        return EventParser.parse(JsonText.read(part));
      } catch (VeridexException e) {
        return List.of(EventParser.malformed(e.problem(), part));
      }
    }

    @Override
    public EventReceiver.BatchResult take(List<List<ParsedRecord>> inputs) {
      List<ParsedRecord> records = inputs.stream().flatMap(List::stream).toList();
      if (records.size() > MAX_RECORDS) {
        throw new VeridexException(
            Problem.of(
                    ErrorCode.BODY_TOO_LARGE,
                    "A request has at most %d records, and this one has %d: send more as lines."
                        .formatted(MAX_RECORDS, records.size()))
                .with("max", MAX_RECORDS));
      }
      call.room().accept((long) RESULT_BYTES * records.size());
      return receiver.receive(
          DocumentRoutes.asking(call),
          Namespace.of(call.scope()),
          call.get(BucketRoutes.BUCKET),
          records);
    }

    @Override
    public Answer<Payload> answer(EventReceiver.BatchResult received, boolean single) {
      List<EventResult> results = received.results();
      if (single
          && results.size() == 1
          && results.getFirst() instanceof EventResult.Rejected(var problem)) {
        throw new VeridexException(problem);
      }
      String revision = seal.seal(received.revision());
      byte[] bytes =
          JsonText.write(
              Type.object(ObjectShapes.RECEIVED)
                  .writing()
                  .apply(new ObjectShapes.BatchAnswer(received, revision)));
      return Answer.at(revision, new Payload.Bytes(Reply.JSON, bytes));
    }

    @Override
    public BulkStream.Results lines(EventReceiver.BatchResult received) {
      return new BulkStream.Results(
          received.results().stream().map(ObjectShapes::line).toList(),
          seal.seal(received.revision()));
    }
  }
}
