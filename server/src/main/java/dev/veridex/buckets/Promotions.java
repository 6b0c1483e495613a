package dev.veridex.buckets;

import dev.veridex.acl.RefusedException;
import dev.veridex.common.Digests;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.TtlPolicy;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Token;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.Accounts;
import dev.veridex.tenancy.AdminChanges;
import dev.veridex.tenancy.ChangeResult;
import dev.veridex.tenancy.IncarnationRecords;
import dev.veridex.tenancy.TtlPolicies;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Copies the settings of buckets and the TTL policy from one environment of an account to another:
/// first a plan that says what would change, then, if nothing has changed since, the change itself.
/// Nothing that is in a bucket is copied.
public final class Promotions {
  private final Store store;
  private final AdminChanges administration;
  private final BucketLookup lookup;
  private final Buckets buckets;
  private final IncarnationRecords incarnations;
  private final TtlPolicies policies;

  public Promotions(
      Store store,
      AdminChanges administration,
      BucketLookup lookup,
      Buckets buckets,
      IncarnationRecords incarnations,
      TtlPolicies policies) {
    this.store = store;
    this.administration = administration;
    this.lookup = lookup;
    this.buckets = buckets;
    this.incarnations = incarnations;
    this.policies = policies;
  }

  /// A request for a promotion.
  ///
  /// @param names the buckets; absent: all of them
  /// @param ttl whether the TTL policy of the environment is meant, too
  /// @param plan the id of the plan to be carried out; absent: only make one
  public record Request(
      String account,
      String from,
      String to,
      Optional<List<String>> names,
      boolean ttl,
      Optional<String> plan) {

    private Namespace source() {
      return new Namespace(account, Optional.of(from));
    }

    private Namespace target() {
      return new Namespace(account, Optional.of(to));
    }
  }

  /// The change of one bucket of the target.
  ///
  /// @param before what it is there; absent if it will be made
  /// @param after what it will be
  public record Step(Optional<Bucket> before, Bucket after) {
    /// The kind of a step.
    public enum Kind {
      CREATE("create"),
      CHANGE("change"),
      NOTHING("nothing"),
      /// It cannot be done: the bucket there is of another type.
      CONFLICT("conflict");

      private final String text;

      Kind(String text) {
        this.text = text;
      }

      /// Its name in answers.
      public String text() {
        return text;
      }
    }

    public Kind kind() {
      if (before.isEmpty()) {
        return Kind.CREATE;
      }
      if (!before.get().type().equals(after.type())) {
        return Kind.CONFLICT;
      }
      return before.get().wanted().equals(after.wanted()) ? Kind.NOTHING : Kind.CHANGE;
    }
  }

  /// The change of the TTL policy of the target.
  ///
  /// @param before the target's own policy; absent if it will be made
  public record TtlStep(Optional<TtlPolicy> before, TtlPolicy after) {
    /// What it does.
    public Step.Kind kind() {
      return before.isEmpty()
          ? Step.Kind.CREATE
          : before.get().equals(after) ? Step.Kind.NOTHING : Step.Kind.CHANGE;
    }
  }

  /// The steps of a promotion.
  ///
  /// @param id changes with every change of what it was made from
  /// @param ttl absent if the source has no policy of its own, or none is meant
  /// @param applied whether it was done
  public record Plan(String id, List<Step> steps, Optional<TtlStep> ttl, boolean applied) {
    public Plan {
      steps = List.copyOf(steps);
    }
  }

  /// Makes a plan, or carries one out.
  public ChangeResult<Plan> promote(Token caller, Request request) {
    if (request.plan.isPresent()) {
      return administration.change(
          caller,
          "environment.promote",
          new Namespace(request.account, Optional.empty()),
          List.of(request.from, request.to, request.plan.get()),
          transaction -> apply(transaction, caller, request, request.plan.get()));
    }
    try (Snapshot snapshot = store.snapshot()) {
      Namespace account = new Namespace(request.account, Optional.empty());
      RefusedException.throwIf(
          AdminChanges.mayManage(
              caller, account.scope(), Accounts.find(snapshot, request.account)));
      return missing(snapshot, request)
          .<ChangeResult<Plan>>map(ChangeResult.Refused::new)
          .orElseGet(
              () -> {
                List<Step> steps = steps(snapshot, request);
                Optional<TtlStep> ttl = ttlStep(snapshot, request);
                return new ChangeResult.Done<>(
                    new Plan(id(request, steps, ttl), steps, ttl, false),
                    false,
                    snapshot.revision());
              });
    }
  }

  private Optional<Problem> missing(Reader reader, Request request) {
    return administration
        .missing(reader, request.source())
        .or(
            () ->
                administration.missing(reader, request.target()).map(problem -> problem.at("/to")));
  }

  private ChangeResult<Plan> apply(
      Transaction transaction, Token caller, Request request, String wanted) {
    Optional<Problem> missing = missing(transaction, request);
    if (missing.isPresent()) {
      return new ChangeResult.Refused<>(missing.get());
    }
    List<Step> steps = steps(transaction, request);
    Optional<TtlStep> ttl = ttlStep(transaction, request);
    Plan plan = new Plan(id(request, steps, ttl), steps, ttl, true);
    return refusal(wanted, plan.id, steps)
        .<ChangeResult<Plan>>map(ChangeResult.Refused::new)
        .orElseGet(
            () -> {
              ttl.filter(step -> step.kind() != Step.Kind.NOTHING)
                  .ifPresent(
                      step ->
                          policies.write(
                              transaction, request.target().scope(), Optional.of(step.after)));
              return apply(transaction, caller, plan);
            });
  }

  private static Optional<Problem> refusal(String wanted, String id, List<Step> steps) {
    if (!wanted.equals(id)) {
      return Optional.of(
          Problem.of(
                  ErrorCode.PRECONDITION_FAILED,
                  "something has changed since this plan was made; make a new one")
              .at("/plan"));
    }
    return steps.stream()
        .filter(step -> step.kind() == Step.Kind.CONFLICT)
        .findFirst()
        .map(
            step ->
                Problem.of(ErrorCode.CONFLICT, "a bucket there is of another type")
                    .with("bucket", step.after.name()));
  }

  private ChangeResult<Plan> apply(Transaction transaction, Token caller, Plan plan) {
    for (Step step : plan.steps) {
      Bucket after = step.after;
      ChangeResult<Bucket> change =
          switch (step.kind()) {
            case CREATE ->
                buckets.create(
                    transaction,
                    caller,
                    after.namespace(),
                    after.name(),
                    after.type(),
                    after.wanted());
            case CHANGE ->
                buckets.change(
                    transaction,
                    lookup.find(transaction, after.namespace(), after.name()).orElseThrow(),
                    after.wanted());
            case NOTHING, CONFLICT -> new ChangeResult.Done<>(after, false, transaction.revision());
          };
      if (change instanceof ChangeResult.Refused<Bucket>(Problem problem)) {
        // Thrown, so that nothing of what was done before stays.
        throw new VeridexException(problem.with("bucket", after.name()));
      }
    }
    return new ChangeResult.Done<>(plan, false, transaction.revision());
  }

  private Optional<TtlStep> ttlStep(Reader reader, Request request) {
    return TtlPolicies.own(reader, incarnations, request.source().scope())
        .filter(_ -> request.ttl)
        .map(
            after ->
                new TtlStep(
                    TtlPolicies.own(reader, incarnations, request.target().scope()), after));
  }

  private List<Step> steps(Reader reader, Request request) {
    List<Step> steps = new ArrayList<>();
    for (Bucket source : sources(reader, request)) {
      Optional<Bucket> before =
          lookup
              .find(reader, request.target(), source.name())
              .map(BucketLookup.LocatedBucket::bucket);
      // An owner that the source does not name stays who it is, as with every other change.
      Bucket.Definition wanted =
          source
              .wanted()
              .ownedBy(
                  source
                      .wanted()
                      .owner()
                      .or(() -> before.flatMap(there -> there.wanted().owner())));
      steps.add(
          new Step(
              before,
              new Bucket(
                  request.target(),
                  source.name(),
                  before.map(Bucket::incarnation).orElse(0L),
                  before.map(Bucket::version).orElse(0L),
                  source.side(),
                  wanted,
                  Optional.empty(),
                  source.createdAt())));
    }
    return steps;
  }

  private List<Bucket> sources(Reader reader, Request request) {
    if (request.names.isEmpty()) {
      return all(reader, request.source());
    }
    List<Bucket> sources = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (String name : request.names.get()) {
      if (!names.add(name)) {
        throw new VeridexException(
            Problem.of(ErrorCode.BAD_REQUEST, "a bucket is named twice")
                .at("/buckets/" + sources.size()));
      }
      BucketLookup.LocatedBucket found =
          lookup
              .find(reader, request.source(), name)
              .orElseThrow(
                  () ->
                      new VeridexException(
                          BucketLookup.noBucket().at("/buckets/" + sources.size())));
      sources.add(found.bucket());
    }
    return sources;
  }

  private List<Bucket> all(Reader reader, Namespace namespace) {
    List<Bucket> found = new ArrayList<>();
    byte[] prefix = BucketLookup.prefix(namespace, incarnations.of(reader, namespace.scope()));
    try (Cursor cursor = reader.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
      while (cursor.next()) {
        String name = new KeyReader(cursor.key(), prefix.length).string();
        found.add(BucketCodec.decode(namespace, name, cursor.value()));
      }
    }
    return found;
  }

  /// A digest of everything that the plan was made from.
  private static String id(Request request, List<Step> steps, Optional<TtlStep> ttl) {
    KeyWriter all = new KeyWriter().string(request.from).string(request.to);
    for (Step step : steps) {
      all.string(step.after.name())
          .string(step.before.map(Bucket::etag).orElse(""))
          .bytes(BucketCodec.encode(step.after));
    }
    ttl.ifPresent(
        step ->
            all.string(step.before.map(TtlPolicy::toString).orElse(""))
                .string(step.after.toString()));
    return HexFormat.of().formatHex(Digests.sha256(all.toKey()), 0, 16);
  }
}
