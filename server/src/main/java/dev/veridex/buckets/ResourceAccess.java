package dev.veridex.buckets;

import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Acl.Action;
import dev.veridex.accounts.Place;
import dev.veridex.accounts.Token;
import dev.veridex.buckets.ResourceRights.Right;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.store.Reader;
import java.util.Optional;
import java.util.function.Supplier;

/// Who may do what to a thing in a bucket: first the bucket's ACL, then, where the bucket asks, the
/// rights that the subject has on the very thing.
public final class ResourceAccess {
  private final Directory directory;
  private final Access access;
  private final ResourceRights rights;
  private final String type;
  private final Supplier<Problem> nothing;

  /// @param type the name of the type of buckets that these things are in
  /// @param nothing says that there is no such thing
  public ResourceAccess(
      Directory directory,
      Access access,
      ResourceRights rights,
      String type,
      Supplier<Problem> nothing) {
    this.directory = directory;
    this.access = access;
    this.rights = rights;
    this.type = type;
    this.nothing = nothing;
  }

  /// The bucket that somebody asks for.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  public Directory.Found find(Reader reader, Asking asking, Place place, String bucket) {
    return directory
        .find(reader, place, bucket)
        .filter(found -> found.bucket().type().name().equals(type))
        .orElseThrow(() -> directory.nothing(reader, asking.caller(), place));
  }

  /// Lets a caller pass who may do something to the bucket.
  public void bucket(Reader reader, Directory.Found found, Asking asking, Action action) {
    access.require(reader, found, asking.caller(), action);
    Scope scope = found.bucket().place().scope();
    if (asking.as().isPresent() && !asking.caller().mayActForOthers(scope)) {
      throw new AccessRefused(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "to act as another takes an administrator, or a service that may impersonate"));
    }
  }

  /// Whether a caller may read the bucket, and so hear what is in it.
  public boolean readsBucket(Reader reader, Directory.Found found, Asking asking) {
    return access.allows(reader, found, asking.caller(), Action.READ);
  }

  /// Whether a thing may be seen.
  ///
  /// @throws VeridexException `SUBJECT_REQUIRED` if a service does not say for whom it reads
  public boolean mayRead(Reader reader, Directory.Found found, Asking asking, String key) {
    if (!binds(found, asking)) {
      return true;
    }
    if (asking.as().isEmpty() && isService(asking)) {
      throw new VeridexException(
          Problem.of(ErrorCode.SUBJECT_REQUIRED, "a service reads here on behalf of somebody")
              .with("parameter", "as"));
    }
    return has(reader, found, asking, key, Right.READ);
  }

  /// Whether a writer may hear what is stored: whoever writes by the ACL alone, by that alone.
  public boolean mayKnow(Reader reader, Directory.Found found, Asking asking, String key) {
    return readsBucket(reader, found, asking)
        && (!binds(found, asking)
            || (asking.as().isEmpty() && isService(asking))
            || has(reader, found, asking, key, Right.READ));
  }

  /// Whether a caller may do something to the bucket.
  public boolean allows(Reader reader, Directory.Found found, Asking asking, Action action) {
    return access.allows(reader, found, asking.caller(), action);
  }

  /// Lets a caller pass who may change a thing.
  ///
  /// @throws AccessRefused saying that there is nothing, unless the caller may read it
  public void change(Reader reader, Directory.Found found, Asking asking, String key, Right right) {
    // A service writes by the ACL alone, unless it writes on behalf of somebody.
    boolean byAclAlone = asking.as().isEmpty() && isService(asking);
    if (!binds(found, asking) || byAclAlone || has(reader, found, asking, key, right)) {
      return;
    }
    throw new AccessRefused(
        has(reader, found, asking, key, Right.READ)
            ? Problem.of(ErrorCode.FORBIDDEN, "the subject lacks a right on it")
                .with("right", right)
            : nothing.get());
  }

  /// Whether rights on single things count: not for administrators who act for themselves.
  private static boolean binds(Directory.Found found, Asking asking) {
    Bucket bucket = found.bucket();
    return bucket.wanted().settings().itemAccess()
        && (asking.as().isPresent() || !asking.caller().administers(bucket.place().scope()));
  }

  private static boolean isService(Asking asking) {
    return asking.caller().token().filter(Token::isService).isPresent();
  }

  private boolean has(
      Reader reader, Directory.Found found, Asking asking, String key, Right right) {
    Optional<String> subject = asking.as().or(asking.caller()::subject);
    Bucket bucket = found.bucket();
    String resource = bucket.wanted().settings().resourcePrefix() + key;
    return subject
        .filter(
            id -> rights.has(reader, bucket.place().scope(), bucket.name(), id, resource, right))
        .isPresent();
  }
}
