package dev.veridex.http.routes.queues;

import dev.veridex.acl.Acl.Action;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.Buckets;
import dev.veridex.buckets.QueueSettings;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.publish.DocumentRebuild;
import dev.veridex.documents.publish.QueueAdministration;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.JobReplies;
import dev.veridex.http.routes.JobReplies.JobEnd;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.routes.access.CheckRoutes;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.routes.documents.DocumentRoutes;
import dev.veridex.http.routes.queues.QueueShapes.Count;
import dev.veridex.http.routes.queues.QueueShapes.ElementSelection;
import dev.veridex.http.routes.queues.QueueShapes.LeaseAnswer;
import dev.veridex.http.routes.queues.QueueShapes.LeaseRequest;
import dev.veridex.http.routes.queues.QueueShapes.Messages;
import dev.veridex.http.routes.queues.QueueShapes.Offset;
import dev.veridex.http.routes.queues.QueueShapes.SendAnswer;
import dev.veridex.http.routes.queues.QueueShapes.State;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.Jobs;
import dev.veridex.queue.MessageQueues;
import dev.veridex.queue.ReaderGroup;
import dev.veridex.store.CommitResult;
import dev.veridex.tenancy.ChangeResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;

/// Queues: those behind a bucket of documents, and buckets that are queues themselves.
public final class QueueRoutes {
  private static final Shape<JobEnd> REBUILT = JobReplies.shape("Rebuilding", List.of("documents"));
  private static final String QUEUES = DocumentRoutes.BUCKET + "/queues";
  private static final String MESSAGES = DocumentRoutes.BUCKET + "/messages";
  private static final long MAX_MESSAGES_BYTES = 8L << 20;

  private static final Parameter<String> QUEUE =
      Parameter.path("queue", Type.TEXT, "main, emergency, failed or dead");
  private static final Parameter<Long> IDX =
      Parameter.path("idx", Type.whole(1, Long.MAX_VALUE), "the number of the element");
  private static final Parameter<Long> SHARD =
      Parameter.query("shard", Type.whole(0, Integer.MAX_VALUE), "only this shard");
  private static final Parameter<Long> FROM =
      Parameter.query("from", Type.whole(0, Long.MAX_VALUE), "only elements with a larger number");
  private static final Parameter<String> GROUP =
      new Parameter<>("group", Parameter.In.QUERY, Type.TEXT, true, "the group that reads");
  private static final Parameter<Long> SHARD_READ =
      new Parameter<>(
          "shard",
          Parameter.In.QUERY,
          Type.whole(0, Integer.MAX_VALUE),
          true,
          "the shard that is read");

  private final Buckets buckets;
  private final QueueAdministration administration;
  private final MessageQueues messages;
  private final DocumentRebuild rebuild;
  private final JobReplies replies;
  private final RevisionSeal seal;

  public QueueRoutes(
      Buckets buckets,
      QueueAdministration administration,
      MessageQueues messages,
      DocumentRebuild rebuild,
      Jobs jobs,
      RevisionSeal seal) {
    this.buckets = buckets;
    this.administration = administration;
    this.messages = messages;
    this.rebuild = rebuild;
    this.replies = new JobReplies(jobs, seal);
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.GET, QUEUES, "queue.list", "What waits in the queues of a bucket")
            .needs(admin())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(
                Reply.json(200, PageParameters.of("QueueList", QueueShapes.STATE)), this::list),
        Route.of(Method.GET, QUEUES + "/{queue}", "queue.show", "The elements that wait in a queue")
            .needs(admin())
            .takes(
                Route.ACCOUNT,
                BucketRoutes.BUCKET,
                QUEUE,
                SHARD,
                FROM,
                PageParameters.LIMIT,
                PageParameters.CURSOR)
            .answers(
                Reply.json(200, PageParameters.of("QueueElements", QueueShapes.ELEMENT)),
                this::show),
        Route.of(
                Method.POST,
                QUEUES + "/{queue}/requeue",
                "queue.requeue",
                "Try elements again that failed or are dead")
            .reads(QueueShapes.WHICH_SHAPE, JsonNodeFactory.instance.objectNode())
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(), DocumentRoutes.ADMIN, this::mayAdminister))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, QUEUE)
            .answers(Reply.json(200, QueueShapes.COUNT), this::requeue),
        Route.of(
                Method.DELETE,
                QUEUES + "/{queue}/{idx}",
                "queue.drop",
                "Forget an element that is dead")
            .needs(admin())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, QUEUE, IDX)
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::drop),
        Route.of(
                Method.POST,
                DocumentRoutes.BUCKET + "/rebuild",
                "document.rebuild",
                "Send everything anew that the registry knows, while documents go on coming")
            .needs(admin())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET, JobReplies.WAIT)
            .answers(Reply.progress(REBUILT), this::rebuild),
        Route.of(Method.POST, MESSAGES, "message.send", "Send messages to a queue")
            .reads(QueueShapes.MESSAGES_SHAPE, QueueShapes.messagesExample())
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(),
                    "the bucket's ACL: write",
                    call -> messages.permit(request(call), Action.WRITE)))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET)
            .answers(Reply.json(201, QueueShapes.ALL_SENT), this::send),
        Route.of(
                Method.GET,
                MESSAGES,
                "message.read",
                "The messages of a shard that a group did not read yet")
            .needs(read())
            .takes(
                Route.ACCOUNT, BucketRoutes.BUCKET, GROUP, SHARD_READ, FROM, PageParameters.LIMIT)
            .answers(Reply.json(200, QueueShapes.READ), this::messages),
        Route.of(
                Method.POST,
                DocumentRoutes.BUCKET + "/leases",
                "message.lease",
                "Take a shard to read it for a group, keep it, or give it back")
            .reads(QueueShapes.LEASE_WANTED, QueueShapes.leaseExample())
            .needs(reading())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET)
            .answers(Reply.json(200, QueueShapes.LEASED), this::lease),
        Route.of(
                Method.POST,
                DocumentRoutes.BUCKET + "/offsets",
                "message.commit",
                "Say how far a group has come in a shard")
            .reads(QueueShapes.OFFSET_SHAPE, QueueShapes.offsetExample())
            .needs(reading())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET)
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::commit));
  }

  private static RequiredRight<NoBody> admin() {
    return new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), DocumentRoutes.ADMIN);
  }

  private static RequiredRight<NoBody> read() {
    return new RequiredRight.Allowed<>(new ScopeSource.Inside<>(), "the bucket's ACL: read");
  }

  private <Q> RequiredRight<Q> reading() {
    return new RequiredRight.Allowed<>(
        new ScopeSource.Inside<>(),
        "the bucket's ACL: read",
        call -> messages.permit(request(call), Action.READ));
  }

  private void mayAdminister(Call<?> call) {
    rebuild.mayRebuild(
        DocumentRoutes.asking(call), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET));
  }

  private static MessageQueues.Request request(Call<?> call) {
    return new MessageQueues.Request(
        asking(call), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET));
  }

  private Answer<Page<State>> list(Call<NoBody> call) {
    Namespace namespace = Namespace.of(call.scope());
    String name = call.get(BucketRoutes.BUCKET);
    Bucket bucket = buckets.find(call.who(), namespace, name).bucket();
    return Answer.of(
        Page.last(
            bucket.wanted().settings() instanceof QueueSettings
                ? messages.groups(request(call)).stream().map(State::of).toList()
                : administration.states(asking(call), namespace, name).stream()
                    .map(State::of)
                    .toList()));
  }

  private static ActingCaller asking(Call<?> call) {
    return new ActingCaller(call.who(), Optional.empty());
  }

  private Answer<Page<QueueAdministration.QueuedTask>> show(Call<NoBody> call) {
    int limit = PageParameters.limit(call);
    List<QueueAdministration.QueuedTask> listed =
        administration.elements(
            asking(call),
            Namespace.of(call.scope()),
            call.get(BucketRoutes.BUCKET),
            call.get(QUEUE),
            call.find(SHARD).map(QueueShapes::shard),
            call.find(PageParameters.CURSOR)
                .map(QueueRoutes::from)
                .or(() -> call.find(FROM))
                .orElse(0L),
            limit);
    // The number of the last one is where the next page begins.
    return Answer.of(
        listed.size() < limit
            ? Page.last(listed)
            : Page.until(listed, Long.toString(listed.getLast().idx()), Page.End.LIMIT));
  }

  private static long from(String cursor) {
    return FROM.type().parse(cursor, "cursor");
  }

  private Answer<Count> requeue(Call<ElementSelection> call) {
    return counted(
        administration.requeue(
            call.who(),
            Namespace.of(call.scope()),
            call.get(BucketRoutes.BUCKET),
            call.get(QUEUE),
            call.body().idx()));
  }

  private Answer<Count> counted(ChangeResult<Long> change) {
    return switch (change) {
      case ChangeResult.Done<Long>(Long count, _, var revision) -> {
        String sealed = seal.seal(revision);
        yield Answer.at(sealed, new Count(count, sealed));
      }
      case ChangeResult.Deleted<Long> _ -> throw new IllegalStateException("nothing was deleted");
      case ChangeResult.Refused<Long>(Problem problem) -> throw new VeridexException(problem);
    };
  }

  private Answer<WriteReceipt> drop(Call<NoBody> call) {
    // Before anything is said of what there is.
    mayAdminister(call);
    Answer<Count> dropped =
        counted(
            administration.drop(
                call.who(),
                Namespace.of(call.scope()),
                call.get(BucketRoutes.BUCKET),
                call.get(QUEUE),
                call.get(IDX)));
    String revision = dropped.value().revision();
    return Answer.at(revision, new WriteReceipt(revision));
  }

  private Answer<Payload> rebuild(Call<NoBody> call) {
    Job started =
        rebuild.start(call.who(), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET));
    return replies.progress(call, started, REBUILT, "documents");
  }

  private Answer<SendAnswer> send(Call<Messages> call) {
    CommitResult<List<MessageQueues.MessagePosition>> sent =
        messages.send(request(call), call.body().messages());
    String revision = seal.seal(sent.revision());
    return Answer.at(revision, new SendAnswer(sent.result(), revision));
  }

  private Answer<MessageQueues.MessagePage> messages(Call<NoBody> call) {
    call.room().accept(MAX_MESSAGES_BYTES);
    return Answer.of(
        messages.read(
            request(call),
            call.find(GROUP).orElseThrow(() -> CheckRoutes.required(GROUP)),
            QueueShapes.shard(
                call.find(SHARD_READ).orElseThrow(() -> CheckRoutes.required(SHARD_READ))),
            call.find(FROM),
            PageParameters.limit(call)));
  }

  private Answer<LeaseAnswer> lease(Call<LeaseRequest> call) {
    LeaseRequest wanted = call.body();
    CommitResult<ReaderGroup.Lease> leased =
        wanted.token().isPresent()
            ? messages.renew(
                request(call),
                wanted.group(),
                wanted.shard().orElseThrow(() -> Type.wrong("this member is missing", "/shard")),
                wanted.token().get(),
                wanted.duration())
            : messages.lease(
                request(call),
                wanted.group(),
                wanted.shard(),
                wanted.holder(),
                wanted.duration().isZero() ? Duration.ofSeconds(1) : wanted.duration());
    String revision = seal.seal(leased.revision());
    return Answer.at(revision, new LeaseAnswer(leased.result(), revision));
  }

  private Answer<WriteReceipt> commit(Call<Offset> call) {
    Offset offset = call.body();
    String revision =
        seal.seal(
            messages.commit(
                request(call),
                offset.group(),
                offset.shard(),
                offset.token(),
                offset.previous(),
                offset.offset()));
    return Answer.at(revision, new WriteReceipt(revision));
  }
}
