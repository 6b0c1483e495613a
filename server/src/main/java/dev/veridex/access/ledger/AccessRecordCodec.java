package dev.veridex.access.ledger;

import dev.veridex.access.ledger.LedgerEntry.State;
import dev.veridex.access.statement.BitOperations;
import dev.veridex.access.statement.Individual;
import dev.veridex.access.statement.IndividualParser;
import dev.veridex.access.statement.Marker;
import dev.veridex.access.statement.Op;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/// The values of an index's records as bytes: each value has one form only, so that equal states
/// are equal byte by byte.
public final class AccessRecordCodec {
  private static final int ABSENT = 0;
  private static final int NOT_INDEXED = 1;
  private static final int INDEXED = 2;

  // What a change is about.
  private static final int APPLIED = 0;
  private static final int STALE = 1;
  private static final int GRANT = 2;

  private AccessRecordCodec() {}

  static long generation(byte[] bytes) {
    return decode(bytes, in -> in.bytes.getLong());
  }

  public static byte[] encode(FlowState flow) {
    Out out = new Out().octet((flow.largest().isPresent() ? 1 : 0) | (flow.struck() ? 2 : 0));
    flow.largest().ifPresent(out::number);
    return out.number(flow.n()).number(flow.changes()).toBytes();
  }

  static FlowState flow(byte[] bytes) {
    return decode(
        bytes,
        in -> {
          int flags = in.octet();
          Optional<Long> largest = (flags & 1) != 0 ? Optional.of(in.number()) : Optional.empty();
          return new FlowState(largest, in.number(), in.number(), (flags & 2) != 0);
        });
  }

  static byte[] encode(LedgerEntry entry) {
    Out out = new Out();
    switch (entry.state()) {
      case State.Absent() -> header(out, ABSENT, entry);
      case State.NotIndexed(Optional<Long> counter, byte[] hash) -> {
        header(out, NOT_INDEXED, entry).octet(counter.isPresent() ? 1 : 0);
        counter.ifPresent(out::number);
        out.bytes(hash);
      }
      case State.Indexed(Individual individual) ->
          header(out, INDEXED, entry).bytes(individual.content());
    }
    return out.toBytes();
  }

  private static Out header(Out out, int kind, LedgerEntry entry) {
    out.octet(kind).op(entry.op()).octet(entry.commands() ? 1 : 0);
    out.octet(entry.deletion().isPresent() ? 1 : 0);
    entry.deletion().ifPresent(out::op);
    return out;
  }

  static LedgerEntry entry(byte[] bytes) {
    return decode(
        bytes,
        in -> {
          int kind = in.octet();
          Op op = in.op();
          boolean commands = in.octet() == 1;
          Optional<Op> deletion = in.octet() == 1 ? Optional.of(in.op()) : Optional.empty();
          State state =
              switch (kind) {
                case ABSENT -> new State.Absent();
                case NOT_INDEXED ->
                    new State.NotIndexed(
                        in.octet() == 1 ? Optional.of(in.number()) : Optional.empty(), in.rest());
                case INDEXED -> new State.Indexed(IndividualParser.stored(in.rest()));
                default -> throw corrupt();
              };
          return new LedgerEntry(op, state, deletion, commands);
        });
  }

  static byte[] encode(BitOperations ops) {
    Out out = new Out();
    write(out, ops);
    return out.toBytes();
  }

  static BitOperations bitOps(byte[] bytes) {
    return decode(bytes, AccessRecordCodec::readOps);
  }

  /// The bits, then the operation of each; those of a plain state are the same and stand there
  /// once.
  private static void write(Out out, BitOperations ops) {
    int bits = ops.bits();
    out.octet(bits);
    if (bits == 0) {
      return;
    }
    Op first = ops.at(Integer.numberOfTrailingZeros(bits)).orElseThrow();
    boolean same = ops.equals(BitOperations.of(bits, first));
    out.octet(same ? 1 : 0);
    for (int bit = 0; bit < Rights.BITS; bit++) {
      Optional<Op> op = ops.at(bit);
      if (op.isPresent()) {
        out.op(op.get());
        if (same) {
          return;
        }
      }
    }
  }

  private static BitOperations readOps(In in) {
    int bits = in.octet();
    if (bits == 0) {
      return BitOperations.NONE;
    }
    if (in.octet() == 1) {
      return BitOperations.of(bits, in.op());
    }
    BitOperations ops = BitOperations.NONE;
    for (int bit = 0; bit < Rights.BITS; bit++) {
      if ((bits & 1 << bit) != 0) {
        ops = ops.later(BitOperations.of(1 << bit, in.op()));
      }
    }
    return ops;
  }

  static byte[] encode(Strikes strikes) {
    Out out = new Out();
    write(out, strikes.ops());
    for (int bit = 0; bit < Rights.BITS; bit++) {
      strikes.by(bit).ifPresent(out::text);
    }
    return out.toBytes();
  }

  static Strikes strikes(byte[] bytes) {
    return decode(
        bytes,
        in -> {
          BitOperations ops = readOps(in);
          Strikes strikes = Strikes.NONE;
          for (int bit = 0; bit < Rights.BITS; bit++) {
            Optional<Op> op = ops.at(bit);
            if (op.isPresent()) {
              strikes = strikes.with(1 << bit, op.get(), in.text());
            }
          }
          return strikes;
        });
  }

  static byte[] encode(Contribution contribution) {
    Out out =
        new Out()
            .octet(
                (contribution.named() ? 1 : 0)
                    | (contribution.live() ? 2 : 0)
                    | contribution.marker().code() << 2);
    write(out, contribution.ops());
    return out.toBytes();
  }

  static Contribution contribution(byte[] bytes) {
    return decode(
        bytes,
        in -> {
          int flags = in.octet();
          return new Contribution(
              (flags & 1) != 0, (flags & 2) != 0, readOps(in), Marker.of(flags >> 2));
        });
  }

  /// Which counts are not 0, then those.
  public static byte[] encode(AclRecord record) {
    int set = 0;
    for (int field = 0; field < AclRecord.Field.COUNT; field++) {
      set |= record.count(field) == 0 ? 0 : 1 << field;
    }
    Out out = new Out().number(set);
    for (int field = 0; field < AclRecord.Field.COUNT; field++) {
      if (record.count(field) != 0) {
        out.number(record.count(field));
      }
    }
    return out.toBytes();
  }

  public static AclRecord record(byte[] bytes) {
    return decode(
        bytes,
        in -> {
          long set = in.number();
          int[] counts = new int[AclRecord.Field.COUNT];
          for (int field = 0; field < counts.length; field++) {
            if ((set & 1L << field) != 0) {
              counts[field] = (int) in.number();
            }
          }
          return new AclRecord(counts);
        });
  }

  static byte[] encode(LedgerChange change) {
    Out out = new Out().number(change.number());
    switch (change) {
      case LedgerChange.Stated stated -> {
        out.octet(stated.status() == MessageStatus.STALE ? STALE : APPLIED)
            .op(stated.op())
            .text(stated.individual())
            .octet(stated.content().isPresent() ? 1 : 0);
        stated.content().ifPresent(out::bytes);
      }
      case LedgerChange.Granted(_, GrantChange(GrantChange.Kind kind, GrantedRight grant)) -> {
        byte[] key = AccessKeys.grant(grant.id(), grant.name());
        out.octet(GRANT + kind.code()).number(key.length).bytes(key).bytes(encode(grant));
      }
    }
    return out.toBytes();
  }

  static LedgerChange change(byte[] bytes) {
    return decode(
        bytes,
        in -> {
          long number = in.number();
          int kind = in.octet();
          return kind >= GRANT
              ? new LedgerChange.Granted(
                  number,
                  new GrantChange(
                      GrantChange.Kind.of(kind - GRANT),
                      grant(in.bytes((int) in.number()), in.rest())))
              : new LedgerChange.Stated(
                  number,
                  kind == STALE ? MessageStatus.STALE : MessageStatus.APPLIED,
                  in.op(),
                  in.text(),
                  in.octet() == 1 ? Optional.of(in.rest()) : Optional.empty());
        });
  }

  static byte[] encode(GrantedRight grant) {
    return new Out()
        .octet(grant.rights())
        .text(grant.grantor())
        .number(Expiry.micros(grant.since()))
        .number(grant.end().map(Expiry::micros).orElse(Expiry.NEVER))
        .toBytes();
  }

  /// The grant of a key.
  static GrantedRight grant(byte[] key, byte[] bytes) {
    return decode(
        bytes,
        in -> {
          int rights = in.octet();
          String grantor = in.text();
          Instant since = Expiry.instant(in.number());
          long end = in.number();
          return new GrantedRight(
              AccessKeys.ofRecord(key),
              AccessKeys.nameOfGrant(key),
              rights,
              grantor,
              since,
              end == Expiry.NEVER ? Optional.empty() : Optional.of(Expiry.instant(end)));
        });
  }

  private static <T> T decode(byte[] bytes, Function<In, T> reading) {
    try {
      In in = new In(ByteBuffer.wrap(bytes));
      T value = reading.apply(in);
      if (in.bytes.hasRemaining()) {
        throw corrupt();
      }
      return value;
    } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new VeridexException(corrupt().problem(), e);
    }
  }

  private static VeridexException corrupt() {
    return new VeridexException(
        Problem.of(ErrorCode.CORRUPT_STORE, "a record of the access index cannot be read"));
  }

  private static final class Out {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(24);

    Out octet(int value) {
      bytes.write(value);
      return this;
    }

    /// Seven bits a byte, the lowest first.
    Out number(long value) {
      long rest = value;
      while ((rest & ~0x7FL) != 0) {
        bytes.write((int) ((rest & 0x7F) | 0x80));
        rest >>>= 7;
      }
      bytes.write((int) rest);
      return this;
    }

    Out op(Op op) {
      return number(op.opId()).number(op.n());
    }

    Out text(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return number(utf8.length).bytes(utf8);
    }

    Out bytes(byte[] more) {
      bytes.writeBytes(more);
      return this;
    }

    byte[] toBytes() {
      return bytes.toByteArray();
    }
  }

  private record In(ByteBuffer bytes) {
    int octet() {
      return bytes.get() & 0xFF;
    }

    long number() {
      long value = 0;
      for (int shift = 0; shift < Long.SIZE; shift += 7) {
        int b = octet();
        value |= (long) (b & 0x7F) << shift;
        if (b < 0x80) {
          return value;
        }
      }
      throw corrupt();
    }

    Op op() {
      return new Op(number(), number());
    }

    String text() {
      byte[] utf8 = new byte[(int) number()];
      bytes.get(utf8);
      return new String(utf8, StandardCharsets.UTF_8);
    }

    byte[] rest() {
      return bytes(bytes.remaining());
    }

    byte[] bytes(int count) {
      byte[] some = new byte[count];
      bytes.get(some);
      return some;
    }
  }
}
