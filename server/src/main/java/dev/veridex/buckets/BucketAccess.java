package dev.veridex.buckets;

import dev.veridex.acl.Acl;
import dev.veridex.acl.Acl.Action;
import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.identity.Caller;
import dev.veridex.identity.Token;
import dev.veridex.store.Reader;
import dev.veridex.tenancy.Account;
import dev.veridex.tenancy.Services;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Access to buckets: its owner and administrators may do everything, everybody else what its ACL
/// allows.
public final class BucketAccess {
  /// The group that may do everything where no ACL says otherwise.
  private static final String ADMIN_GROUP = "admin";

  private final Services services;
  private final UserGroups userGroups;

  public BucketAccess(Services services, UserGroups userGroups) {
    this.services = services;
    this.userGroups = userGroups;
  }

  /// The groups of a user in the access index, besides those that a token brings.
  @FunctionalInterface
  public interface UserGroups {
    Set<String> of(Reader reader, Scope scope, String subject);
  }

  /// Whether a caller, whose scope was looked at before, may do something to a bucket.
  public boolean allows(
      Reader reader, BucketLookup.LocatedBucket found, Caller caller, Action action) {
    Bucket bucket = found.bucket();
    Scope scope = bucket.namespace().scope();
    if (caller.administers(scope) || caller.is(bucket.wanted().owner())) {
      return true;
    }
    Optional<Acl> acl = bucket.wanted().acl().or(() -> found.account().wanted().acl());
    boolean ownsAccount = caller.is(found.account().owner());
    if (acl.isEmpty()) {
      return ownsAccount || isAdminGroup(found.account(), scope, caller);
    }
    Optional<List<Acl.Entry>> entries = acl.get().of(action);
    return entries
        .map(list -> admits(list, reader, scope, caller))
        .orElse(action == Action.ADMIN && ownsAccount);
  }

  /// Lets a caller pass who may do something to a bucket.
  ///
  /// @throws RefusedException saying that there is nothing, unless the caller may read it
  public void require(
      Reader reader, BucketLookup.LocatedBucket found, Caller caller, Action action) {
    RefusedException.throwIf(refusal(reader, found, caller, action));
  }

  /// Why a caller may not do something to a bucket.
  Optional<Problem> refusal(
      Reader reader, BucketLookup.LocatedBucket found, Caller caller, Action action) {
    if (allows(reader, found, caller, action)) {
      return Optional.empty();
    }
    boolean reads = action != Action.READ && allows(reader, found, caller, Action.READ);
    return Optional.of(
        reads
            ? Problem.of(ErrorCode.FORBIDDEN, "the bucket's ACL does not allow this")
                .with("action", action.text())
            : BucketLookup.noBucket());
  }

  /// Whether a caller may make a bucket of a type.
  boolean mayCreate(Reader reader, Account account, Scope scope, Caller caller, String type) {
    return caller.administers(scope)
        || caller.is(account.owner())
        || account
            .wanted()
            .creators()
            .filter(creators -> admits(creators.of(type), reader, scope, caller))
            .isPresent();
  }

  /// A token of the very account or environment, not of Global, that brings the group `admin`.
  private static boolean isAdminGroup(Account account, Scope scope, Caller caller) {
    return caller
        .token()
        .filter(token -> token.scope().equals(scope) || token.scope().equals(account.scope()))
        .map(Token::groups)
        .filter(groups -> groups.contains(ADMIN_GROUP))
        .isPresent();
  }

  /// Whether entries admit a caller: with the groups that the token brings, or else with those that
  /// its user is in besides, which take longer to find. More groups never admit fewer.
  private boolean admits(List<Acl.Entry> entries, Reader reader, Scope scope, Caller caller) {
    if (Acl.admits(entries, new CallerCredentials(reader, scope, caller, caller.groups()))) {
      return true;
    }
    Optional<String> user = caller.user();
    if (user.isEmpty()) {
      return false;
    }
    Set<String> groups = new HashSet<>(userGroups.of(reader, scope, user.get()));
    // These say more than that somebody is in a group, and come from elsewhere only.
    groups.remove(ADMIN_GROUP);
    groups.remove(Acl.EVERYBODY);
    groups.addAll(caller.groups());
    return Acl.admits(entries, new CallerCredentials(reader, scope, caller, groups));
  }

  /// The credentials of a caller. Services are looked up only for entries that ask for them.
  private final class CallerCredentials implements Acl.Credentials {
    private final Reader reader;
    private final Scope scope;
    private final Caller caller;
    private final Set<String> groups;

    private CallerCredentials(Reader reader, Scope scope, Caller caller, Set<String> groups) {
      this.reader = reader;
      this.scope = scope;
      this.caller = caller;
      this.groups = groups;
    }

    @Override
    public Set<String> groups() {
      return groups;
    }

    @Override
    public Set<String> signatures() {
      return services.signatures(reader, scope, caller.serviceIds());
    }
  }
}
