package dev.veridex.objects.catalogue;

import dev.veridex.common.Expiry;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The state of an object that follows from its events, as it is stored.
///
/// Most objects have few versions, and carry what decides about them. One with more keeps that in
/// records of their own, and carries the leading version alone.
///
/// @param counter of the states that searches were told of
/// @param acceptedAt when the last of these was accepted
/// @param many whether its versions have records of their own
/// @param floating how many of these float
/// @param versions all of them; or the leading one, if there are many
/// @param summary of the current row, if there is one
record ObjectRecord(
    long counter,
    Instant acceptedAt,
    boolean many,
    long floating,
    List<VersionState> versions,
    Optional<Summary> summary) {
  /// So many versions are carried.
  static final int FEW = 4;

  private static final int MANY = 1;
  private static final int SUMMARY = 2;

  ObjectRecord {
    versions = List.copyOf(versions);
  }

  /// An object of which nothing is known.
  static ObjectRecord none() {
    return new ObjectRecord(0, Instant.EPOCH, false, 0, List.of(), Optional.empty());
  }

  /// The properties of a current row by which objects are counted.
  record Summary(EventReason reason, long size, String storageClass) {
    static Summary of(ObjectRow row) {
      return new Summary(
          row.reason(), row.facts().size().orElse(0L), row.facts().storageClass().orElse(""));
    }
  }

  /// The same with other versions, which it carries.
  ObjectRecord with(List<VersionState> others) {
    return with(others, many, floating);
  }

  ObjectRecord with(List<VersionState> others, boolean isMany, long howManyFloat) {
    return new ObjectRecord(counter, acceptedAt, isMany, howManyFloat, others, summary);
  }

  /// The next state that searches are told of.
  ObjectRecord told(Instant now, Optional<Summary> next) {
    return new ObjectRecord(counter + 1, now, many, floating, versions, next);
  }

  /// A version and its top row.
  record Leader(VersionState version, VersionState.TopRow row) {}

  /// The version that decides whether there is an object: the one that is present and comes last.
  Optional<Leader> leader(ObjectKey object) {
    return versions.stream()
        .flatMap(version -> version.row(object).map(row -> new Leader(version, row)).stream())
        .filter(each -> each.row.isPresent())
        .max(
            Comparator.comparing(
                (Leader each) -> each.row.place(),
                (one, other) -> Arrays.compareUnsigned(one, other)));
  }

  /// The current version; absent if there is no object.
  Optional<Leader> current(ObjectKey object) {
    return leader(object).filter(each -> each.row.type() == EventType.CREATED);
  }

  byte[] encode() {
    KeyWriter out =
        new KeyWriter()
            .signed(counter)
            .signed(Expiry.micros(acceptedAt))
            .octet((many ? MANY : 0) | (summary.isPresent() ? SUMMARY : 0))
            .octet(versions.size());
    if (many) {
      out.signed(floating);
    }
    summary.ifPresent(
        row -> out.octet(row.reason.code()).signed(row.size).string(row.storageClass));
    versions.forEach(version -> version.write(out));
    return out.toKey();
  }

  /// The summary in a stored record, without the rest.
  static Optional<Summary> summary(byte[] bytes) {
    KeyReader in = new KeyReader(bytes, 2 * Long.BYTES);
    int flags = in.octet();
    in.octet();
    if ((flags & MANY) != 0) {
      in.signed();
    }
    return summary(flags, in);
  }

  private static Optional<Summary> summary(int flags, KeyReader in) {
    return (flags & SUMMARY) != 0
        ? Optional.of(
            new Summary(EventReason.of(in.octet()).orElseThrow(), in.signed(), in.string()))
        : Optional.empty();
  }

  static ObjectRecord decode(byte[] bytes) {
    KeyReader in = new KeyReader(bytes);
    long counter = in.signed();
    Instant acceptedAt = Expiry.instant(in.signed());
    int flags = in.octet();
    boolean many = (flags & MANY) != 0;
    int size = in.octet();
    long floating = many ? in.signed() : 0;
    Optional<Summary> summary = summary(flags, in);
    List<VersionState> versions = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      versions.add(VersionState.read(in));
    }
    return new ObjectRecord(counter, acceptedAt, many, floating, versions, summary);
  }
}
