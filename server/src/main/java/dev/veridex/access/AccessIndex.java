package dev.veridex.access;

import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.AccessIndexWriter;
import dev.veridex.access.ledger.FlowState;
import dev.veridex.access.ledger.MessageStatus;
import dev.veridex.access.ledger.RecordChanges;
import dev.veridex.access.ledger.SubjectRecord;
import dev.veridex.access.statement.IndexKey;
import dev.veridex.access.statement.KeyText;
import dev.veridex.access.statement.Message;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.AuditEntry;
import dev.veridex.identity.AuditLog;
import dev.veridex.identity.Token;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import dev.veridex.tenancy.AdminChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The access indexes of accounts and environments: statements go in, answers come out.
public final class AccessIndex {
  private static final String PUT = "access.put";
  private static final int BATCH_MESSAGES = 1000;
  private static final int BATCH_RECORDS = 20_000;
  private static final int AUDITED_IDS = 20;

  private final Store store;
  private final AccessIndexLocator indexes;
  private final AdminChanges administration;
  private final AuditLog audit;
  private final ScopeLocks statements;
  private final ScopeLocks locks;
  private final CompiledIndexes compiled;
  private final ChangeSignals signals;
  private final NamespaceReaders readers;

  /// @param statements so that nothing is stated while an index is derived anew
  /// @param locks so that writers of one scope wait for each other instead of running again
  public AccessIndex(
      Store store,
      AccessIndexLocator indexes,
      AdminChanges administration,
      AuditLog audit,
      ScopeLocks statements,
      ScopeLocks locks,
      CompiledIndexes compiled,
      ChangeSignals signals) {
    this.store = store;
    this.indexes = indexes;
    this.administration = administration;
    this.audit = audit;
    this.statements = statements;
    this.locks = locks;
    this.compiled = compiled;
    this.signals = signals;
    this.readers = new NamespaceReaders(store, administration);
  }

  /// The result of one input.
  ///
  /// @param problem why it was rejected
  public record Result(Optional<String> id, MessageStatus status, Optional<Problem> problem) {
    private static Result of(Message message, MessageStatus status) {
      return new Result(Optional.of(message.id()), status, Optional.empty());
    }

    private static Result rejected(Optional<String> id, Problem problem) {
      return new Result(id, MessageStatus.REJECTED, Optional.of(problem));
    }
  }

  /// The results of a batch, in its order.
  public record BatchResult(List<Result> results, Revision revision) {}

  /// The identity of one access index: its namespace and incarnation.
  public record Target(Namespace namespace, long incarnation) {}

  /// The index of a namespace.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  public Target target(Namespace namespace) {
    try (Snapshot snapshot = readers.open(namespace)) {
      return new Target(namespace, indexes.incarnation(snapshot, namespace.scope()));
    }
  }

  /// Applies inputs to the index of a namespace.
  public BatchResult put(Token caller, Namespace namespace, List<MessageInput> inputs) {
    return put(caller, target(namespace), inputs);
  }

  /// Applies inputs one after the other, each of them whole or not at all.
  ///
  /// @throws VeridexException if the store fails, or does not agree with itself; what came before
  ///   the input at which it does is applied
  public BatchResult put(Token caller, Target target, List<MessageInput> inputs) {
    List<Result> results = new ArrayList<>(inputs.size());
    Revision revision = store.revision();
    do {
      int from = results.size();
      int to = Math.min(inputs.size(), from + BATCH_MESSAGES);
      BatchResult applied = apply(caller, target, inputs.subList(from, to), from);
      results.addAll(applied.results);
      revision = applied.revision;
    } while (results.size() < inputs.size());
    return new BatchResult(results, revision);
  }

  /// Applies as many of a batch as one transaction should, at least one.
  ///
  /// @param from the position of the first one among all inputs
  private BatchResult apply(Token caller, Target target, List<MessageInput> batch, int from) {
    Scope scope = target.namespace.scope();
    return statements.alone(
        scope, () -> locks.alone(scope, () -> applyAlone(caller, target, batch, from)));
  }

  private BatchResult applyAlone(Token caller, Target target, List<MessageInput> batch, int from) {
    try {
      return transact(caller, target, batch);
    } catch (VeridexException e) {
      if (e.code() != ErrorCode.CORRUPT_STORE && e.code() != ErrorCode.TRANSACTION_TOO_LARGE) {
        throw e;
      }
      // One of them does not go. Those before it do, and it says itself what is wrong.
      return oneByOne(caller, target, batch, from);
    }
  }

  private BatchResult oneByOne(Token caller, Target target, List<MessageInput> batch, int from) {
    List<Result> results = new ArrayList<>();
    Revision revision = store.revision();
    for (MessageInput input : batch) {
      try {
        BatchResult one = transact(caller, target, List.of(input));
        results.addAll(one.results);
        revision = one.revision;
      } catch (VeridexException e) {
        if (e.code() == ErrorCode.TRANSACTION_TOO_LARGE) {
          results.add(Result.rejected(idOf(input), e.problem()));
          continue;
        }
        Problem problem = e.problem().with("input", from + results.size());
        throw new VeridexException(
            idOf(input).map(id -> problem.with("individual", id)).orElse(problem), e);
      }
    }
    return new BatchResult(results, revision);
  }

  private static Optional<String> idOf(MessageInput input) {
    return switch (input) {
      case MessageInput.Valid(Message message) -> Optional.of(message.id());
      case MessageInput.Invalid(Optional<String> id, _) -> id;
    };
  }

  private BatchResult transact(Token caller, Target target, List<MessageInput> batch) {
    Namespace namespace = target.namespace;
    List<Message> messages = new ArrayList<>(batch.size());
    for (MessageInput input : batch) {
      if (input instanceof MessageInput.Valid(Message message)) {
        messages.add(message);
      }
    }
    Scope scope = namespace.scope();
    try (CompiledIndexes.IndexUpdate pending = compiled.begin(scope)) {
      CommitResult<Outcome> committed = transact(pending, caller, target, batch, messages);
      Outcome outcome = committed.result();
      outcome.delta.ifPresentOrElse(
          delta -> {
            pending.committed(delta, committed.revision());
            signals.changed(scope);
          },
          pending::unchanged);
      return new BatchResult(outcome.results, committed.revision());
    }
  }

  private CommitResult<Outcome> transact(
      CompiledIndexes.IndexUpdate pending,
      Token caller,
      Target target,
      List<MessageInput> batch,
      List<Message> messages) {
    try {
      return store.transact(transaction -> apply(transaction, caller, target, batch, messages));
    } catch (VeridexException e) {
      if (e.code() != ErrorCode.UNAVAILABLE) {
        pending.unchanged();
      }
      // Otherwise it may have been committed all the same.
      throw e;
    }
  }

  /// The result of a transaction.
  private record Outcome(List<Result> results, Optional<RecordChanges> delta) {}

  private Outcome apply(
      Transaction transaction,
      Token caller,
      Target target,
      List<MessageInput> batch,
      List<Message> messages) {
    Namespace namespace = target.namespace;
    VeridexException.throwIf(administration.missing(transaction, namespace));
    if (indexes.incarnation(transaction, namespace.scope()) != target.incarnation) {
      throw new VeridexException(Problem.of(ErrorCode.GONE, "what this began in was deleted"));
    }
    List<Result> results = new ArrayList<>(batch.size());
    AccessIndexWriter index = indexes.write(transaction, namespace.scope());
    index.prepare(messages);
    // What a message costs is known when it was decided on: a short one may take back a hundred
    // thousand records.
    for (MessageInput input : batch) {
      if (index.touched() > BATCH_RECORDS) {
        break;
      }
      results.add(apply(index, input));
    }
    index.finish();
    if (!index.isChanged()) {
      return new Outcome(results, Optional.empty());
    }
    audit(transaction, caller, namespace, results);
    return new Outcome(
        results,
        Optional.of(
            index.since(indexes.version(transaction, namespace.scope()), transaction.now())));
  }

  /// Applies an input, or says why it cannot be.
  static Result apply(AccessIndexWriter index, MessageInput input) {
    return switch (input) {
      case MessageInput.Invalid(Optional<String> id, Problem problem) ->
          Result.rejected(id, problem);
      case MessageInput.Valid(Message message) -> {
        Optional<Problem> refusal = index.refusal(message);
        yield refusal.isPresent()
            ? Result.rejected(Optional.of(message.id()), refusal.get())
            : Result.of(message, index.apply(message));
      }
    };
  }

  private void audit(
      Transaction transaction, Token caller, Namespace namespace, List<Result> results) {
    List<String> ids = new ArrayList<>();
    results.stream()
        .filter(
            result ->
                result.status == MessageStatus.APPLIED || result.status == MessageStatus.STALE)
        .forEach(result -> result.id.ifPresent(ids::add));
    List<String> named = new ArrayList<>(ids.subList(0, Math.min(ids.size(), AUDITED_IDS)));
    if (ids.size() > AUDITED_IDS) {
      named.add("and %d more".formatted(ids.size() - AUDITED_IDS));
    }
    audit.append(
        transaction, AuditEntry.of(transaction.now(), caller, PUT, namespace.scope(), named));
  }

  /// The account that has a login.
  public Optional<AtRevision<String>> login(Namespace namespace, String login) {
    try (Snapshot snapshot = readers.open(namespace)) {
      return indexes
          .read(snapshot, namespace.scope())
          .account(login)
          .map(account -> new AtRevision<>(account, snapshot.revision()));
    }
  }

  /// How far the flow of messages has come.
  public AtRevision<FlowState> flow(Namespace namespace) {
    try (Snapshot snapshot = readers.open(namespace)) {
      return new AtRevision<>(
          indexes.read(snapshot, namespace.scope()).flow(), snapshot.revision());
    }
  }

  /// The records of a key.
  public record Value(IndexKey key, List<SubjectRecord> records) {}

  /// The records of a key that is given as text, in which filter and object run together.
  ///
  /// @param filter which of two keys is meant that read alike; an empty one means none
  /// @throws VeridexException `AMBIGUOUS_KEY` naming both
  public Optional<AtRevision<Value>> value(
      Namespace namespace, String text, Optional<String> filter) {
    try (Snapshot snapshot = readers.open(namespace)) {
      AccessIndexReader index = indexes.read(snapshot, namespace.scope());
      List<IndexKey> found =
          KeyText.keys(text).stream()
              .filter(key -> filter.isEmpty() || key.filter().equals(filter.get()))
              .filter(index::hasRecords)
              .toList();
      if (found.size() > 1) {
        throw KeyText.ambiguous(found);
      }
      return found.stream()
          .findFirst()
          .map(key -> new AtRevision<>(new Value(key, index.records(key)), snapshot.revision()));
    }
  }
}
