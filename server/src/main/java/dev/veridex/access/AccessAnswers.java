package dev.veridex.access;

import dev.veridex.access.CompiledIndexes.Loaded;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Administration;
import dev.veridex.accounts.Caller;
import dev.veridex.accounts.Place;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/// Answers questions about access: from memory where the index is there, else from the store, which
/// takes longer and says the same.
public final class AccessAnswers {
  private final Indexes indexes;
  private final PlaceReaders readers;
  private final BiFunction<Reader, Scope, Grants> grants;
  private final CompiledIndexes compiled;

  /// @param grants what is granted beside the statements of a scope, as a reader sees it
  public AccessAnswers(
      Store store,
      Indexes indexes,
      Administration administration,
      BiFunction<Reader, Scope, Grants> grants,
      CompiledIndexes compiled) {
    this.indexes = indexes;
    this.readers = new PlaceReaders(store, administration);
    this.grants = grants;
    this.compiled = compiled;
  }

  /// A question, and whether to say why.
  public record Asked(Question question, boolean explain) {}

  /// An answer.
  public record Checked(int rights, Optional<Trace> trace) {}

  /// Answers questions, all from the same state.
  ///
  /// @param atLeast how fresh that state has to be
  /// @throws AccessRefused if the caller asks for others and may not
  public At<List<Checked>> check(
      Caller caller, Place place, List<Asked> asked, Optional<Revision> atLeast) {
    Scope scope = place.scope();
    mayAsk(caller, scope, asked);
    try (Snapshot snapshot = readers.open(place, atLeast)) {
      boolean explain = asked.stream().anyMatch(Asked::explain);
      Optional<Loaded> loaded = explain ? Optional.empty() : inMemory(snapshot, scope, atLeast);
      return loaded.isPresent()
          ? fromMemory(loaded.get(), asked)
          : fromStore(snapshot, scope, asked);
    }
  }

  private static void mayAsk(Caller caller, Scope scope, List<Asked> asked) {
    for (Asked each : asked) {
      boolean own = caller.is(Optional.of(each.question.subject()));
      if (!own && !caller.mayActForOthers(scope)) {
        throw new AccessRefused(
            Problem.of(
                ErrorCode.FORBIDDEN,
                "to ask for others takes an administrator, or a service that may impersonate"));
      }
    }
  }

  /// A state in memory that is as good as what a reader sees.
  private Optional<Loaded> inMemory(Snapshot snapshot, Scope scope, Optional<Revision> atLeast) {
    if (!grants.apply(snapshot, scope).equals(Grants.NONE)) {
      // Those are not in memory.
      return Optional.empty();
    }
    Optional<Loaded> exact =
        compiled.find(snapshot, scope).map(loaded -> loaded.at(snapshot.revision()));
    // Whoever waits for a commit to be acknowledged can wait no less for its effect.
    return exact.isPresent() || atLeast.isPresent() ? exact : compiled.whileChanging(scope);
  }

  private static At<List<Checked>> fromMemory(Loaded loaded, List<Asked> asked) {
    CompiledCheck check = new CompiledCheck(loaded.compiled());
    List<Checked> checked = new ArrayList<>(asked.size());
    for (Asked each : asked) {
      checked.add(new Checked(each.question.rights(check), Optional.empty()));
    }
    return new At<>(checked, loaded.revision());
  }

  private At<List<Checked>> fromStore(Snapshot snapshot, Scope scope, List<Asked> asked) {
    IndexReader index = indexes.read(snapshot, scope);
    View view = new View(index, grants.apply(snapshot, scope));
    List<Checked> checked = new ArrayList<>(asked.size());
    for (Asked each : asked) {
      Verdict verdict = Check.of(view, each.question);
      checked.add(
          new Checked(
              verdict.rights(),
              each.explain
                  ? Optional.of(Explainer.of(index, verdict, snapshot.now()))
                  : Optional.empty()));
    }
    return new At<>(checked, snapshot.revision());
  }

  /// The rights that a reader finds. In a transaction, they still hold at its commit.
  public int rights(Reader reader, Scope scope, Question question) {
    Grants beside = grants.apply(reader, scope);
    return exactly(reader, scope, beside)
        .map(question::rights)
        .orElseGet(
            () -> Check.of(new View(indexes.read(reader, scope), beside), question).rights());
  }

  /// The groups that a subject is in, directly and through others.
  public Set<String> groups(Reader reader, Scope scope, String subject) {
    Grants beside = grants.apply(reader, scope);
    return exactly(reader, scope, beside)
        .map(check -> check.groups(subject))
        .orElseGet(() -> Check.groups(new View(indexes.read(reader, scope), beside), subject));
  }

  /// What answers as a reader would. In a transaction, that it does so is part of what was read.
  private Optional<CompiledCheck> exactly(Reader reader, Scope scope, Grants beside) {
    return beside.equals(Grants.NONE)
        ? compiled.find(reader, scope).map(loaded -> new CompiledCheck(loaded.compiled()))
        : Optional.empty();
  }
}
