package dev.veridex.queue;

import dev.veridex.common.Expiry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/// The offset and lease of a reader group in a shard.
///
/// @param offset the number of the last element that is done with; 0 at first
/// @param passed how many elements of all that were ever appended are done with
/// @param token grows with every lease: whoever has a smaller one has lost it
/// @param holder who reads; nobody if empty
/// @param until when the lease ends, unless it is renewed
public record GroupPosition(long offset, long passed, long token, String holder, Instant until) {
  static final GroupPosition START = new GroupPosition(0, 0, 0, "", Instant.EPOCH);

  /// Whether somebody reads there at a time.
  public boolean isHeld(Instant now) {
    return !holder.isEmpty() && until.isAfter(now);
  }

  byte[] encode() {
    byte[] name = holder.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(4 * Long.BYTES + name.length)
        .putLong(offset)
        .putLong(passed)
        .putLong(token)
        .putLong(Expiry.micros(until))
        .put(name)
        .array();
  }

  static GroupPosition decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    long offset = in.getLong();
    long passed = in.getLong();
    long token = in.getLong();
    Instant until = Expiry.instant(in.getLong());
    String holder =
        new String(bytes, in.position(), bytes.length - in.position(), StandardCharsets.UTF_8);
    return new GroupPosition(offset, passed, token, holder, until);
  }
}
