package dev.veridex.access;

import dev.veridex.access.check.AccessIndexView;
import dev.veridex.access.check.Check;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.Trace;
import dev.veridex.access.check.Verdict;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.ledger.LedgerIndividual;
import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.identity.Caller;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Answers questions about access: from memory where the index is there, else from the store, which
/// takes longer and says the same.
public final class RightsChecker {
  private final AccessIndexStates states;

  public RightsChecker(AccessIndexStates states) {
    this.states = states;
  }

  /// A question, and whether to say why.
  public record Query(CheckRequest question, boolean explain) {}

  /// An answer.
  public record Answer(int rights, Optional<Trace> trace) {}

  /// Answers questions, all from the same state.
  ///
  /// @throws RefusedException if the caller asks for others and may not
  public AtRevision<List<Answer>> check(
      Caller caller, Namespace namespace, List<Query> asked, AsOf moment) {
    for (Query each : asked) {
      requireMayAsk(caller, namespace.scope(), each.question.subject());
    }
    boolean explain = asked.stream().anyMatch(Query::explain);
    try (AccessIndexState state = states.open(namespace, moment)) {
      Optional<CompiledCheck> compiled = explain ? Optional.empty() : state.compiledCheck();
      List<Answer> checked = new ArrayList<>(asked.size());
      if (compiled.isPresent()) {
        for (Query each : asked) {
          checked.add(new Answer(compiled.get().rights(each.question), Optional.empty()));
        }
        return new AtRevision<>(checked, state.compiledRevision());
      }
      AccessIndexView view = state.view();
      for (Query each : asked) {
        Verdict verdict = Check.of(view, each.question);
        checked.add(
            new Answer(
                verdict.rights(),
                each.explain ? Optional.of(state.explain(verdict)) : Optional.empty()));
      }
      return new AtRevision<>(checked, state.revision());
    }
  }

  /// The ledger's entry of an individual.
  ///
  /// @param limit the most of its commands, and of its strikes
  public Optional<AtRevision<LedgerIndividual>> individual(
      Namespace namespace, String id, int limit, AsOf moment) {
    try (AccessIndexState state = states.openStored(namespace, moment)) {
      return state.index().known(id, limit).map(known -> new AtRevision<>(known, state.revision()));
    }
  }

  /// Refuses callers who ask for others and may not.
  static void requireMayAsk(Caller caller, Scope scope, String subject) {
    if (!caller.is(Optional.of(subject)) && !caller.mayActForOthers(scope)) {
      throw new RefusedException(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "to ask for others takes an administrator, or a service that may impersonate"));
    }
  }

  /// The rights that a reader finds. In a transaction, they still hold at its commit.
  public int rights(Reader reader, Scope scope, CheckRequest question) {
    return states
        .exactCheck(reader, scope)
        .map(check -> check.rights(question))
        .orElseGet(() -> Check.of(states.view(reader, scope), question).rights());
  }

  /// The groups that a subject is in, directly and through others.
  public Set<String> groups(Reader reader, Scope scope, String subject) {
    return states
        .exactCheck(reader, scope)
        .map(check -> check.groups(subject))
        .orElseGet(() -> Check.groups(states.view(reader, scope), subject));
  }
}
