package dev.veridex.http.routes.documents;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.DocumentReader;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.documents.receive.DocumentReceiver;
import dev.veridex.documents.receive.ReceiveResult;
import dev.veridex.documents.registry.EpochAdministration;
import dev.veridex.documents.registry.Epochs.Epoch;
import dev.veridex.documents.registry.SchemaChange;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.Problems;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.BulkInputs;
import dev.veridex.http.routes.BulkStream;
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.routes.documents.DocumentShapes.Opening;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.json.JsonText;
import dev.veridex.protocol.RawDocument;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Documents: receive, read, and the epochs that their schemas belong to.
public final class DocumentRoutes {
  public static final String BUCKET = "/v1/accounts/{account}/buckets/{bucket}";
  public static final String ADMIN = "the bucket's ACL: admin";
  private static final String ITEM_RIGHT =
      ", and rights on the document unless the bucket says otherwise";

  private static final int RESULT_BYTES = 500;

  private static final Parameter<String> PK =
      Parameter.path("pk", Type.TEXT, "the key of the document, percent-encoded");
  private static final Parameter<Long> EPOCH =
      Parameter.path("epoch", Type.whole(1, Long.MAX_VALUE), "the number of the epoch");
  public static final Parameter<String> AS =
      Parameter.query(
          "as", Type.ID, "the subject on whose behalf; for administrators and services");

  private final DocumentReceiver receiver;
  private final DocumentReader documents;
  private final EpochAdministration epochs;
  private final RevisionSeal seal;

  public DocumentRoutes(
      DocumentReceiver receiver,
      DocumentReader documents,
      EpochAdministration epochs,
      RevisionSeal seal) {
    this.receiver = receiver;
    this.documents = documents;
    this.epochs = epochs;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.POST,
                BUCKET + "/documents",
                "document.put",
                "Store and delete documents, in any order, as often as you like")
            .readsBulk(DocumentShapes.example(), true)
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(),
                    "the bucket's ACL: write, or delete to delete" + ITEM_RIGHT,
                    call ->
                        receiver.mayReceive(
                            asking(call),
                            Namespace.of(call.scope()),
                            call.get(BucketRoutes.BUCKET))))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, AS)
            .answers(
                Reply.progress(DocumentShapes.RECEIVED).or(400).or(409).or(422).or(503),
                this::receive),
        Route.of(Method.GET, BUCKET + "/documents/{pk}", "document.read", "A document as it came")
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(), "the bucket's ACL: read" + ITEM_RIGHT))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, PK, AS)
            .answers(Reply.bytes(), this::read),
        Route.of(Method.GET, BUCKET + "/epochs", "epoch.list", "The epochs of a bucket")
            .needs(new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), ADMIN))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(
                Reply.json(200, PageParameters.of("EpochList", DocumentShapes.EPOCH_SHAPE)),
                this::epochs),
        Route.of(
                Method.POST,
                BUCKET + "/epochs",
                "epoch.open",
                "Open the next epoch: documents are received for both, searches see the old one")
            .reads(DocumentShapes.OPENING, JsonNodeFactory.instance.objectNode())
            .needs(
                new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), ADMIN, this::mayAdminister))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET)
            .answers(Reply.json(201, DocumentShapes.EPOCH_PUT), this::open),
        Route.of(
                Method.PUT,
                BUCKET + "/epochs/{epoch}",
                "epoch.put",
                "Add to the schema of an epoch; what is settled stays")
            .reads(DocumentShapes.SCHEMA_CHANGE, DocumentShapes.schemaExample())
            .needs(
                new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), ADMIN, this::mayAdminister))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, EPOCH)
            .answers(Reply.json(200, DocumentShapes.EPOCH_PUT), this::settle));
  }

  private void mayAdminister(Call<?> call) {
    epochs.epochs(asking(call), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET));
  }

  public static ActingCaller asking(Call<?> call) {
    return new ActingCaller(call.who(), call.find(AS));
  }

  private Answer<Payload> receive(Call<Route.Inputs> call) {
    return new Documents(call).handle(call, RESULT_BYTES, "so many documents are sent as lines");
  }

  /// Documents in bulk.
  private final class Documents implements BulkInputs<DocumentInput, DocumentReceiver.BatchResult> {
    private final Call<Route.Inputs> call;

    private Documents(Call<Route.Inputs> call) {
      this.call = call;
    }

    @Override
    public DocumentInput ofJson(JsonNode value) {
      return DocumentJson.read(value);
    }

    @Override
    public DocumentInput ofPart(byte[] part, boolean protobuf) {
      return protobuf ? message(part) : line(part);
    }

    @Override
    public DocumentReceiver.BatchResult take(List<DocumentInput> inputs) {
      return receive(call, inputs);
    }

    @Override
    public Answer<Payload> answer(DocumentReceiver.BatchResult received, boolean single) {
      if (single) {
        refuse(received.results().getFirst());
      } else {
        noteRefused(call, received);
      }
      String revision = seal.seal(received.revision());
      byte[] bytes =
          JsonText.write(
              Type.object(DocumentShapes.RECEIVED)
                  .writing()
                  .apply(new DocumentShapes.BatchAnswer(received, revision)));
      Answer<Payload> answer = Answer.at(revision, new Payload.Bytes(Reply.JSON, bytes));
      return single ? answer.status(status(received)) : answer;
    }

    @Override
    public BulkStream.Results lines(DocumentReceiver.BatchResult received) {
      noteRefused(call, received);
      return new BulkStream.Results(
          received.results().stream().map(DocumentShapes::line).toList(),
          seal.seal(received.revision()));
    }
  }

  private DocumentReceiver.BatchResult receive(Call<?> call, List<DocumentInput> inputs) {
    return receiver.receive(
        asking(call), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET), inputs);
  }

  /// Who may not is told as everywhere, and it is written down.
  private static void refuse(ReceiveResult result) {
    if (isRefusal(result)) {
      throw new RefusedException(
          Problem.of(result.code().orElseThrow(), result.violations().getFirst().detail()));
    }
  }

  /// Of many, each is told with its result; it is written down all the same.
  private static void noteRefused(Call<?> call, DocumentReceiver.BatchResult received) {
    call.refused()
        .accept(
            received.results().stream()
                .filter(DocumentRoutes::isRefusal)
                .map(ReceiveResult::pk)
                .toList());
  }

  private static boolean isRefusal(ReceiveResult result) {
    return result
        .code()
        .filter(code -> code == ErrorCode.FORBIDDEN || code == ErrorCode.NOT_FOUND)
        .isPresent();
  }

  /// The status of a single document is that of its result.
  private static int status(DocumentReceiver.BatchResult received) {
    return received
        .results()
        .getFirst()
        .code()
        // As a key of a document it is well-formed JSON, and still not what it must be.
        .map(code -> code == ErrorCode.BAD_KEY ? 422 : Problems.status(code))
        .orElse(200);
  }

  private static DocumentInput line(byte[] line) {
    try {
      return DocumentJson.read(JsonText.read(line));
    } catch (VeridexException e) {
      return new DocumentInput.Invalid(e.problem());
    }
  }

  private static DocumentInput message(byte[] message) {
    if (message.length > DocumentReceiver.MAX_DOCUMENT_BYTES) {
      return new DocumentInput.Invalid(
          Problem.of(ErrorCode.TOO_LARGE, "a document has at most 4 MiB, serialized"));
    }
    try {
      return new DocumentInput.Parsed(RawDocument.parseFrom(message), List.of());
    } catch (InvalidProtocolBufferException e) {
      return new DocumentInput.Invalid(
          Problem.of(ErrorCode.BAD_REQUEST, "this is no protobuf message of ours"));
    }
  }

  private Answer<Payload> read(Call<NoBody> call) {
    DocumentReader.StoredDocument known =
        documents.read(
            asking(call), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET), call.get(PK));
    ObjectNode json = known.json();
    json.put("acceptedAt", known.acceptedAt().toString());
    known.expiresAt().ifPresent(end -> json.put("expiresAt", end.toString()));
    byte[] bytes = JsonText.write(json);
    call.room().accept(bytes.length);
    return Answer.of(new Payload.Bytes(Reply.JSON, bytes));
  }

  private Answer<Page<Epoch>> epochs(Call<NoBody> call) {
    return Answer.of(
        Page.last(
            List.copyOf(
                epochs
                    .epochs(asking(call), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET))
                    .open()
                    .values())));
  }

  private Answer<ChangeReply<Epoch>> open(Call<Opening> call) {
    return ChangeReply.put(
        epochs.open(
            call.who(),
            Namespace.of(call.scope()),
            call.get(BucketRoutes.BUCKET),
            call.body().schema()),
        seal);
  }

  private Answer<ChangeReply<Epoch>> settle(Call<SchemaChange> call) {
    return ChangeReply.put(
        epochs.settle(
            call.who(),
            Namespace.of(call.scope()),
            call.get(BucketRoutes.BUCKET),
            call.get(EPOCH),
            call.body()),
        seal);
  }
}
