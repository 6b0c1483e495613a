package dev.veridex.grants;

import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.identity.Token;
import dev.veridex.identity.Token.Flag;
import java.util.Optional;

/// The rules of who may give, extend, take back and see grants.
///
/// @param strict whether Global is for Global administrators alone
public record GrantRules(boolean strict) {

  /// The name of a caller as a grantor in a scope: the subject of the token, or its id if it has
  /// none. The subject of a Global token need not be the tenant's of that name, so it counts in
  /// Global alone.
  static String grantor(Token caller, Scope scope) {
    boolean elsewhere = caller.scope() instanceof Scope.Global && !(scope instanceof Scope.Global);
    return caller.subject().filter(_ -> !elsewhere).orElse(caller.id());
  }

  private static boolean isGrantorOf(Token caller, Grant grant) {
    return grantor(caller, grant.scope()).equals(grant.origin().by());
  }

  /// @throws RefusedException unless the caller may give a grant of this key at all
  void requireMayGive(Token caller, Scope scope, GrantKey key) {
    requireReach(caller, scope);
    if (key.kind() == GrantKind.APPROVAL
        && caller.subject().filter(key.first()::equals).isPresent()) {
      throw refused(
          "Nobody grants or extends an approval for themselves: ask another grantor.", key);
    }
    boolean grantor =
        key.kind() == GrantKind.APPROVAL
            && caller.flags().contains(Flag.GRANTOR)
            && !(strict && scope instanceof Scope.Global);
    if (!grantor && !caller.administers(scope)) {
      throw refused(
          key.kind() == GrantKind.APPROVAL
              ? "Granting an approval takes an administrator of the scope, or a token with the flag"
                  + " grantor."
              : "Writing a relationship takes an administrator of the scope.",
          key);
    }
  }

  /// @throws RefusedException unless the caller may extend a grant
  void requireMayExtend(Token caller, Grant grant) {
    requireMayGive(caller, grant.scope(), grant.key());
    if (!caller.administers(grant.scope()) && !isGrantorOf(caller, grant)) {
      throw refused(
          "A grant is extended by its grantor or by an administrator of the scope.", grant.key());
    }
  }

  /// @throws RefusedException unless the caller reaches all of some scopes
  void requireReachAll(Token caller, GrantScopes scopes) {
    boolean below =
        scopes.descendants() && caller.scope() instanceof Scope.Custom && !caller.descendants();
    if (below || !caller.reaches(scopes.scope())) {
      throw denied();
    }
  }

  /// @throws RefusedException unless the caller may take a grant back
  ///
  /// @param grant absent if there is none: who could not take back any hears no difference
  void requireMayRevoke(Token caller, Scope scope, GrantKey key, Optional<Grant> grant) {
    requireReach(caller, scope);
    boolean grantor =
        key.kind() == GrantKind.APPROVAL
            && !(strict && scope instanceof Scope.Global)
            && grant
                .map(each -> isGrantorOf(caller, each))
                .orElse(caller.flags().contains(Flag.GRANTOR));
    if (!grantor && !caller.administers(scope)) {
      throw refused(
          "A grant is taken back by its grantor or by an administrator of the scope.", key);
    }
  }

  /// Who may see what others were given: administrators, and services that ask for others.
  ///
  /// @throws RefusedException unless the caller may see grants of somebody
  void requireMaySee(Token caller, Scope scope, Optional<String> whose) {
    requireReach(caller, scope);
    boolean own =
        whose.isPresent()
            && (scope instanceof Scope.Global || !(caller.scope() instanceof Scope.Global))
            && caller.subject().equals(whose);
    boolean service = caller.isService() && caller.flags().contains(Flag.IMPERSONATE);
    if (!own && !service && !caller.administers(scope)) {
      throw new RefusedException(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "Seeing what others were granted takes an administrator of the scope, or a service"
                  + " with the flag impersonate."),
          whose.stream().toList());
    }
  }

  private static void requireReach(Token caller, Scope scope) {
    if (!caller.reaches(scope)) {
      throw denied();
    }
  }

  private static RefusedException denied() {
    return new RefusedException(
        Problem.of(ErrorCode.SCOPE_DENIED, "The token does not reach this scope."));
  }

  private static RefusedException refused(String detail, GrantKey key) {
    return new RefusedException(Problem.of(ErrorCode.FORBIDDEN, detail), key.parts());
  }
}
