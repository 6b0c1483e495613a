package dev.veridex.access;

import dev.veridex.access.compiled.Compiled;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Caller;
import dev.veridex.accounts.Place;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Scope;
import dev.veridex.store.Reader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Answers questions about access: from memory where the index is there, else from the store, which
/// takes longer and says the same.
public final class AccessAnswers {
  private final AccessStates states;

  public AccessAnswers(AccessStates states) {
    this.states = states;
  }

  /// A question, and whether to say why.
  public record Asked(Question question, boolean explain) {}

  /// An answer.
  public record Checked(int rights, Optional<Trace> trace) {}

  /// Answers questions, all from the same state.
  ///
  /// @throws AccessRefused if the caller asks for others and may not
  public At<List<Checked>> check(Caller caller, Place place, List<Asked> asked, Moment moment) {
    for (Asked each : asked) {
      mayAsk(caller, place.scope(), each.question.subject());
    }
    boolean explain = asked.stream().anyMatch(Asked::explain);
    try (AccessState state = states.open(place, moment)) {
      Optional<Compiled> compiled = explain ? Optional.empty() : state.compiled();
      List<Checked> checked = new ArrayList<>(asked.size());
      if (compiled.isPresent()) {
        CompiledCheck check = new CompiledCheck(compiled.get());
        for (Asked each : asked) {
          checked.add(new Checked(each.question.rights(check), Optional.empty()));
        }
        return new At<>(checked, state.compiledRevision());
      }
      View view = state.view();
      for (Asked each : asked) {
        Verdict verdict = Check.of(view, each.question);
        checked.add(
            new Checked(
                verdict.rights(),
                each.explain ? Optional.of(state.explain(verdict)) : Optional.empty()));
      }
      return new At<>(checked, state.revision());
    }
  }

  /// What the ledger keeps of an individual.
  ///
  /// @param limit the most of its commands, and of its strikes
  public Optional<At<KnownIndividual>> individual(
      Place place, String id, int limit, Moment moment) {
    try (AccessState state = states.open(place, moment)) {
      return state.index().known(id, limit).map(known -> new At<>(known, state.revision()));
    }
  }

  /// Refuses callers who ask for others and may not.
  static void mayAsk(Caller caller, Scope scope, String subject) {
    if (!caller.is(Optional.of(subject)) && !caller.mayActForOthers(scope)) {
      throw new AccessRefused(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "to ask for others takes an administrator, or a service that may impersonate"));
    }
  }

  /// The rights that a reader finds. In a transaction, they still hold at its commit.
  public int rights(Reader reader, Scope scope, Question question) {
    return states
        .exactly(reader, scope)
        .map(compiled -> question.rights(new CompiledCheck(compiled)))
        .orElseGet(() -> Check.of(states.view(reader, scope), question).rights());
  }

  /// The groups that a subject is in, directly and through others.
  public Set<String> groups(Reader reader, Scope scope, String subject) {
    return states
        .exactly(reader, scope)
        .map(compiled -> new CompiledCheck(compiled).groups(subject))
        .orElseGet(() -> Check.groups(states.view(reader, scope), subject));
  }
}
