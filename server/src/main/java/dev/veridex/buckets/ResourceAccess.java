package dev.veridex.buckets;

import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.buckets.ResourceRights.Right;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Reader;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// Access rights on a single resource of a bucket: first the bucket's ACL, then, with `itemAccess`,
/// the rights of the subject on that resource.
public final class ResourceAccess {
  /// Whom no record names.
  private static final String NOBODY = "";

  private final BucketLookup lookup;
  private final BucketAccess access;
  private final ResourceRights rights;
  private final Set<String> types;
  private final Supplier<Problem> nothing;

  /// @param types the types of buckets that these things are in
  /// @param nothing says that there is no such thing
  public ResourceAccess(
      BucketLookup lookup,
      BucketAccess access,
      ResourceRights rights,
      Set<String> types,
      Supplier<Problem> nothing) {
    this.lookup = lookup;
    this.access = access;
    this.rights = rights;
    this.types = types;
    this.nothing = nothing;
  }

  /// The bucket that somebody asks for.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  public BucketLookup.LocatedBucket find(
      Reader reader, ActingCaller actor, Namespace namespace, String bucket) {
    return lookup
        .find(reader, namespace, bucket)
        .filter(found -> types.contains(found.bucket().type().name()))
        .orElseThrow(() -> lookup.nothing(reader, actor.caller(), namespace));
  }

  /// Lets a caller pass who may do something to the bucket.
  public void bucket(
      Reader reader, BucketLookup.LocatedBucket found, ActingCaller actor, Action action) {
    access.require(reader, found, actor.caller(), action);
    Scope scope = found.bucket().namespace().scope();
    boolean another = actor.as().isPresent() && !actor.caller().is(actor.as());
    if (another && !actor.caller().mayActForOthers(scope)) {
      throw new RefusedException(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "to act as another takes an administrator, or a service that may impersonate"));
    }
  }

  /// Whether a caller may read the bucket, and so hear what is in it.
  public boolean readsBucket(Reader reader, BucketLookup.LocatedBucket found, ActingCaller actor) {
    return access.allows(reader, found, actor.caller(), Action.READ);
  }

  /// The subject whose rights decide what a caller sees in a bucket; absent if all of it may be
  /// seen.
  ///
  /// @throws VeridexException `SUBJECT_REQUIRED` if a service does not say for whom it reads
  public Optional<String> reader(BucketLookup.LocatedBucket found, ActingCaller actor) {
    if (!binds(found, actor)) {
      return Optional.empty();
    }
    if (actor.as().isEmpty() && isService(actor)) {
      throw new VeridexException(
          Problem.of(ErrorCode.SUBJECT_REQUIRED, "a service reads here on behalf of somebody")
              .with("parameter", "as"));
    }
    return Optional.of(subject(actor).orElse(NOBODY));
  }

  /// Whose rights count: those of a person of the tenant. Whom a token of Global stands for need
  /// not be the tenant's.
  private static Optional<String> subject(ActingCaller actor) {
    Caller caller = actor.caller();
    return actor
        .as()
        .or(() -> caller.isAnonymous() ? Optional.of(Caller.ANONYMOUS) : caller.user());
  }

  /// Whether a thing may be seen.
  ///
  /// @throws VeridexException `SUBJECT_REQUIRED` if a service does not say for whom it reads
  public boolean mayRead(
      Reader reader, BucketLookup.LocatedBucket found, ActingCaller actor, String key) {
    return mayRead(reader, found, actor, List.of(resource(found, key)));
  }

  /// Whether something may be seen that has these resources.
  ///
  /// @throws VeridexException `SUBJECT_REQUIRED` if a service does not say for whom it reads
  public boolean mayRead(
      Reader reader, BucketLookup.LocatedBucket found, ActingCaller actor, List<String> resources) {
    return reader(found, actor).isEmpty() || has(reader, found, actor, resources, Right.READ);
  }

  /// Whether a writer may hear what is stored: whoever writes by the ACL alone, by that alone.
  public boolean mayKnow(
      Reader reader, BucketLookup.LocatedBucket found, ActingCaller actor, List<String> resources) {
    return readsBucket(reader, found, actor)
        && (writesByAclAlone(found, actor) || has(reader, found, actor, resources, Right.READ));
  }

  /// Whether rights on single things do not count for a writer: a service writes by the ACL alone,
  /// unless it writes on behalf of somebody.
  public boolean writesByAclAlone(BucketLookup.LocatedBucket found, ActingCaller actor) {
    return !binds(found, actor) || (actor.as().isEmpty() && isService(actor));
  }

  /// Whether a caller may do something to the bucket.
  public boolean allows(
      Reader reader, BucketLookup.LocatedBucket found, ActingCaller actor, Action action) {
    return access.allows(reader, found, actor.caller(), action);
  }

  /// Lets a caller pass who may change a thing.
  ///
  /// @throws RefusedException saying that there is nothing, unless the caller may read it
  public void change(
      Reader reader,
      BucketLookup.LocatedBucket found,
      ActingCaller actor,
      String key,
      Right right) {
    change(reader, found, actor, List.of(resource(found, key)), right);
  }

  /// Lets a caller pass who may change something that has these resources.
  ///
  /// @throws RefusedException saying that there is nothing, unless the caller may read it
  public void change(
      Reader reader,
      BucketLookup.LocatedBucket found,
      ActingCaller actor,
      List<String> resources,
      Right right) {
    if (writesByAclAlone(found, actor) || has(reader, found, actor, resources, right)) {
      return;
    }
    throw new RefusedException(
        has(reader, found, actor, resources, Right.READ)
            ? Problem.of(ErrorCode.FORBIDDEN, "the subject lacks a right on it")
                .with("right", right)
            : nothing.get());
  }

  /// Whether rights on single things count: not for administrators who act for themselves.
  private static boolean binds(BucketLookup.LocatedBucket found, ActingCaller actor) {
    Bucket bucket = found.bucket();
    return bucket.wanted().settings().itemAccess()
        && (actor.as().isPresent() || !actor.caller().administers(bucket.namespace().scope()));
  }

  private static boolean isService(ActingCaller actor) {
    return actor.caller().token().filter(Token::isService).isPresent();
  }

  private static String resource(BucketLookup.LocatedBucket found, String key) {
    return found.bucket().wanted().settings().resource(key);
  }

  /// Whether the subject has a right on all of some resources; on what has none, nobody has.
  private boolean has(
      Reader reader,
      BucketLookup.LocatedBucket found,
      ActingCaller actor,
      List<String> resources,
      Right right) {
    Optional<String> subject = subject(actor);
    Bucket bucket = found.bucket();
    return subject.isPresent()
        && !resources.isEmpty()
        && resources.stream()
            .allMatch(
                resource ->
                    rights.has(
                        reader,
                        bucket.namespace().scope(),
                        bucket.name(),
                        subject.get(),
                        resource,
                        right));
  }
}
