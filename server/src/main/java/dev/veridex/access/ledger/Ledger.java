package dev.veridex.access.ledger;

import dev.veridex.access.ledger.LedgerEntry.State;
import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Message;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.RecordId;
import dev.veridex.common.Digests;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The rules of the ledger, as functions of what they are given.
public final class Ledger {
  private Ledger() {}

  /// The effect of a message on the ledger.
  ///
  /// @param entry of its individual afterwards; absent if nothing changes
  /// @param op its place, if it takes one
  /// @param flow afterwards
  /// @param strikes whether the bits that it names are struck at its place
  record Decision(
      MessageStatus status,
      Optional<LedgerEntry> entry,
      Optional<Op> op,
      FlowState flow,
      boolean strikes) {}

  /// Why a message cannot be taken, whatever it says.
  static Optional<Problem> refusal(FlowState flow, Message message) {
    return message
        .opId()
        .filter(flow::isTooFar)
        .map(
            _ ->
                Problem.of(
                        ErrorCode.BAD_REQUEST, "this opId is too far beyond the largest one seen")
                    .at("/opId")
                    .with("largest", flow.largest().orElse(0L)));
  }

  /// Decides on a message that is not refused.
  ///
  /// @param current what is known of its individual
  static Decision decide(Optional<LedgerEntry> current, FlowState flow, Message message) {
    Op op = flow.opOf(message);
    if (message.isIgnored()) {
      FlowState after = message.opId().isPresent() ? flow.after(op) : flow;
      return new Decision(MessageStatus.IGNORED, Optional.empty(), Optional.empty(), after, false);
    }
    State state = state(message);
    MessageStatus status =
        current
            .map(
                entry ->
                    message.opId().isPresent()
                        ? byOp(entry, op, state)
                        : byArrival(entry, state, message))
            .orElse(MessageStatus.APPLIED);
    boolean takesPlace =
        status == MessageStatus.APPLIED
            || (status == MessageStatus.STALE && message.opId().isPresent());
    if (!takesPlace) {
      return new Decision(status, Optional.empty(), Optional.empty(), flow, false);
    }
    LedgerEntry entry = merged(current, status, op, state, message);
    FlowState after = message.strikes() ? flow.after(op).withStrike() : flow.after(op);
    return new Decision(status, Optional.of(entry), Optional.of(op), after, message.strikes());
  }

  private static MessageStatus byOp(LedgerEntry entry, Op op, State state) {
    if (op.equals(entry.op())) {
      return entry.state().equals(state) ? MessageStatus.DUPLICATE : MessageStatus.CONFLICT;
    }
    return op.isAfter(entry.op()) ? MessageStatus.APPLIED : MessageStatus.STALE;
  }

  /// Without a number, what says the same is the same, and the author's own counter tells old from
  /// new.
  private static MessageStatus byArrival(LedgerEntry entry, State state, Message message) {
    if (entry.state().equals(state)) {
      return MessageStatus.DUPLICATE;
    }
    Optional<Long> known = entry.updateCounter();
    Optional<Long> given = message.state().flatMap(Individual::updateCounter);
    if (known.isEmpty() || given.isEmpty() || given.get() > known.get()) {
      return MessageStatus.APPLIED;
    }
    return given.get() < known.get() ? MessageStatus.STALE : MessageStatus.CONFLICT;
  }

  /// Everything that is kept only grows, so it comes out the same in any order.
  private static LedgerEntry merged(
      Optional<LedgerEntry> current, MessageStatus status, Op op, State state, Message message) {
    Optional<Op> deletion = current.flatMap(LedgerEntry::deletion);
    if (message.deletes()) {
      deletion = Optional.of(deletion.map(before -> Op.later(before, op)).orElse(op));
    }
    boolean commands =
        current.filter(LedgerEntry::commands).isPresent()
            || message.state().filter(Individual::isLiveCommand).isPresent();
    return status == MessageStatus.APPLIED
        ? new LedgerEntry(op, state, deletion, commands)
        : new LedgerEntry(
            current.orElseThrow().op(), current.orElseThrow().state(), deletion, commands);
  }

  private static State state(Message message) {
    if (message.state().isEmpty()) {
      return new State.Absent();
    }
    Individual individual = message.state().get();
    return individual.kind().isEmpty()
        ? new State.NotIndexed(individual.updateCounter(), Digests.sha256(individual.content()))
        : new State.Indexed(individual);
  }

  /// What an individual named as a live command, after a message. What a deletion ended never
  /// counts again, so it is not kept.
  ///
  /// @param entry of the individual, after the message
  /// @param op the message's place
  static Map<RecordId, BitOperations> commands(
      Map<RecordId, BitOperations> before, LedgerEntry entry, Message message, Op op) {
    Map<RecordId, BitOperations> after = new HashMap<>(before);
    message
        .state()
        .filter(Individual::isLiveCommand)
        .filter(state -> state.bits() != 0)
        .ifPresent(
            state ->
                state
                    .names()
                    .forEach(
                        id ->
                            after.merge(
                                id, BitOperations.of(state.bits(), op), BitOperations::later)));
    entry
        .deletion()
        .ifPresent(
            deletion -> {
              after.replaceAll((_, ops) -> ops.notBefore(deletion));
              after.values().removeIf(ops -> ops.bits() == 0);
            });
    return after;
  }

  /// The contributions of an individual, by record.
  ///
  /// @param commands the bits that it named as a live command and no deletion ended, by record
  public static Map<RecordId, Contribution> contributions(
      LedgerEntry entry, Map<RecordId, BitOperations> commands) {
    Map<RecordId, Contribution> contributions = new HashMap<>();
    Optional<Individual> newest = entry.individual();
    if (newest.isEmpty()) {
      return contributions;
    }
    Individual individual = newest.get();
    boolean live = !individual.deleted();
    BitOperations own = live ? BitOperations.of(individual.bits(), entry.op()) : BitOperations.NONE;
    for (RecordId id : individual.names()) {
      contributions.put(
          id, new Contribution(true, live, own, live ? individual.marker() : Marker.NONE));
    }
    if (individual.isLiveCommand()) {
      commands.forEach((id, ops) -> keep(contributions, individual, id, ops));
    }
    return contributions;
  }

  /// What a command named before stays, also where it names nothing any more.
  private static void keep(
      Map<RecordId, Contribution> contributions,
      Individual individual,
      RecordId id,
      BitOperations ops) {
    contributions.merge(
        id,
        new Contribution(false, true, ops, individual.marker()),
        (own, earlier) ->
            new Contribution(true, true, own.ops().later(earlier.ops()), own.marker()));
  }

  /// The logins that an individual claims.
  static List<String> logins(LedgerEntry entry) {
    return entry.individual().map(Individual::logins).orElse(List.of());
  }
}
