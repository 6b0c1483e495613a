package dev.veridex.items;

import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Acl.Action;
import dev.veridex.accounts.Place;
import dev.veridex.accounts.Token;
import dev.veridex.buckets.Access;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.Directory;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.items.ItemRights.Right;
import dev.veridex.store.Reader;
import java.util.Optional;

/// Who may do what to an item: first the bucket's ACL, then, where the bucket asks, the rights that
/// the subject has on the item.
final class ItemAccess {
  private final Directory directory;
  private final Access access;
  private final ItemRights rights;

  ItemAccess(Directory directory, Access access, ItemRights rights) {
    this.directory = directory;
    this.access = access;
    this.rights = rights;
  }

  /// The bucket of items that somebody asks for.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  Directory.Found find(Reader reader, Asking asking, Place place, String bucket) {
    return directory
        .find(reader, place, bucket)
        .filter(found -> found.bucket().type().name().equals(ItemVersions.TYPE))
        .orElseThrow(() -> directory.nothing(reader, asking.caller(), place));
  }

  /// Lets a caller pass who may do something to the bucket.
  void bucket(Reader reader, Directory.Found found, Asking asking, Action action) {
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
  boolean readsBucket(Reader reader, Directory.Found found, Asking asking) {
    return access.allows(reader, found, asking.caller(), Action.READ);
  }

  /// Whether an item may be seen.
  ///
  /// @throws VeridexException `SUBJECT_REQUIRED` if a service does not say for whom it reads
  boolean mayRead(Reader reader, Directory.Found found, Asking asking, String key) {
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

  /// Lets a caller pass who may change an item.
  ///
  /// @throws AccessRefused saying that there is nothing, unless the caller may read it
  void change(Reader reader, Directory.Found found, Asking asking, String key, Right right) {
    // A service writes by the ACL alone, unless it writes on behalf of somebody.
    boolean byAclAlone = asking.as().isEmpty() && isService(asking);
    if (!binds(found, asking) || byAclAlone || has(reader, found, asking, key, right)) {
      return;
    }
    throw new AccessRefused(
        has(reader, found, asking, key, Right.READ)
            ? Problem.of(ErrorCode.FORBIDDEN, "the subject lacks a right on the item")
                .with("right", right)
            : Items.noItem());
  }

  /// Whether rights on single items count: not for administrators who act for themselves.
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
