package dev.veridex.items.local;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.items.ItemRevision;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/// The stored form of what is known about a revision.
final class RevisionCodec {
  private static final int FORMAT = 1;
  private static final int DELETED = 1;
  private static final int REPLACED = 2;
  private static final int EXPIRES = 4;
  private static final int REFRESHED = 8;

  private RevisionCodec() {}

  static byte[] encode(ItemRevision revision) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(96);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(FORMAT);
      out.writeByte(
          (revision.deleted() ? DELETED : 0)
              | (revision.replacedAt().isPresent() ? REPLACED : 0)
              | (revision.expiresAt().isPresent() ? EXPIRES : 0)
              | (revision.ttl().isPresent() ? REFRESHED : 0));
      out.writeLong(revision.id().getMostSignificantBits());
      out.writeLong(revision.id().getLeastSignificantBits());
      out.writeLong(Expiry.micros(revision.time()));
      if (revision.replacedAt().isPresent()) {
        out.writeLong(Expiry.micros(revision.replacedAt().get()));
      }
      if (revision.expiresAt().isPresent()) {
        out.writeLong(Expiry.micros(revision.expiresAt().get()));
      }
      if (revision.ttl().isPresent()) {
        out.writeLong(micros(revision.ttl().get()));
      }
      out.writeInt(revision.bytes());
      out.writeUTF(revision.contentType());
      out.writeShort(revision.headers().size());
      for (Map.Entry<String, String> header : revision.headers().entrySet()) {
        out.writeUTF(header.getKey());
        out.writeUTF(header.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static ItemRevision decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (in.readByte() != FORMAT) {
        throw corrupt();
      }
      int flags = in.readByte();
      UUID id = new UUID(in.readLong(), in.readLong());
      Instant time = Expiry.instant(in.readLong());
      Optional<Instant> replacedAt = instant(in, (flags & REPLACED) != 0);
      Optional<Instant> expiresAt = instant(in, (flags & EXPIRES) != 0);
      Optional<Duration> ttl =
          (flags & REFRESHED) == 0
              ? Optional.empty()
              : Optional.of(Duration.of(in.readLong(), ChronoUnit.MICROS));
      int length = in.readInt();
      String contentType = in.readUTF();
      SortedMap<String, String> headers = new TreeMap<>();
      for (int left = in.readShort(); left > 0; left--) {
        headers.put(in.readUTF(), in.readUTF());
      }
      return new ItemRevision(
          id,
          time,
          (flags & DELETED) != 0,
          contentType,
          headers,
          length,
          expiresAt,
          ttl,
          replacedAt);
    } catch (IOException e) {
      throw corrupt();
    }
  }

  private static long micros(Duration duration) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.EPOCH.plus(duration));
  }

  private static Optional<Instant> instant(DataInputStream in, boolean present) throws IOException {
    return present ? Optional.of(Expiry.instant(in.readLong())) : Optional.empty();
  }

  private static VeridexException corrupt() {
    return new VeridexException(
        Problem.of(ErrorCode.CORRUPT_STORE, "a stored revision of an item cannot be read"));
  }
}
