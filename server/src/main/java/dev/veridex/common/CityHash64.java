package dev.veridex.common;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/// CityHash64 as of its version 1.0.2, which later versions changed: it decides where documents
/// lie, here and in systems that read what we write, so it never changes.
public final class CityHash64 {
  private static final long K0 = 0xc3a5c85c97cb3127L;
  private static final long K1 = 0xb492b66fbe98f273L;
  private static final long K2 = 0x9ae16a3b2f90404fL;
  private static final long K3 = 0xc949d7c7509e6557L;
  private static final long MUL = 0x9ddfea08eb382d69L;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private CityHash64() {}

  /// The hash of a text's bytes in UTF-8, an unsigned number.
  public static long of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /// The hash of bytes, an unsigned number.
  public static long of(byte[] bytes) {
    int length = bytes.length;
    if (length <= 16) {
      return upTo16(bytes, length);
    }
    if (length <= 32) {
      return upTo32(bytes, length);
    }
    return length <= 64 ? upTo64(bytes, length) : longer(bytes, length);
  }

  private static long upTo16(byte[] s, int length) {
    if (length > 8) {
      long a = fetch64(s, 0);
      long b = fetch64(s, length - 8);
      return mix(a, Long.rotateRight(b + length, length)) ^ b;
    }
    if (length >= 4) {
      return mix(length + (fetch32(s, 0) << 3), fetch32(s, length - 4));
    }
    if (length > 0) {
      int y = (s[0] & 0xFF) + ((s[length >> 1] & 0xFF) << 8);
      int z = length + ((s[length - 1] & 0xFF) << 2);
      return shiftMix((y * K2) ^ (z * K3)) * K2;
    }
    return K2;
  }

  private static long upTo32(byte[] s, int length) {
    long a = fetch64(s, 0) * K1;
    long b = fetch64(s, 8);
    long c = fetch64(s, length - 8) * K2;
    long d = fetch64(s, length - 16) * K0;
    return mix(
        Long.rotateRight(a - b, 43) + Long.rotateRight(c, 30) + d,
        a + Long.rotateRight(b ^ K3, 20) - c + length);
  }

  private static long upTo64(byte[] s, int length) {
    long z = fetch64(s, 24);
    long a = fetch64(s, 0) + (length + fetch64(s, length - 16)) * K0;
    long b = Long.rotateRight(a + z, 52);
    long c = Long.rotateRight(a, 37);
    a += fetch64(s, 8);
    c += Long.rotateRight(a, 7);
    a += fetch64(s, 16);
    long vf = a + z;
    long vs = b + Long.rotateRight(a, 31) + c;
    a = fetch64(s, 16) + fetch64(s, length - 32);
    z = fetch64(s, length - 8);
    b = Long.rotateRight(a + z, 52);
    c = Long.rotateRight(a, 37);
    a += fetch64(s, length - 24);
    c += Long.rotateRight(a, 7);
    a += fetch64(s, length - 16);
    long wf = a + z;
    long ws = b + Long.rotateRight(a, 31) + c;
    long r = shiftMix((vf + ws) * K2 + (wf + vs) * K0);
    return shiftMix(r * K0 + vs) * K2;
  }

  private static long longer(byte[] s, int length) {
    long x = fetch64(s, 0);
    long y = fetch64(s, length - 16) ^ K1;
    long z = fetch64(s, length - 56) ^ K0;
    Weak v = weak(s, length - 64, length, y);
    Weak w = weak(s, length - 32, length * K1, K0);
    z += shiftMix(v.second) * K1;
    x = Long.rotateRight(z + x, 39) * K1;
    y = Long.rotateRight(y, 33) * K1;
    int end = (length - 1) & ~63;
    for (int at = 0; at < end; at += 64) {
      x = Long.rotateRight(x + y + v.first + fetch64(s, at + 16), 37) * K1;
      y = Long.rotateRight(y + v.second + fetch64(s, at + 48), 42) * K1;
      x ^= w.second;
      y ^= v.first;
      z = Long.rotateRight(z ^ w.first, 33);
      v = weak(s, at, v.second * K1, x + w.first);
      w = weak(s, at + 32, z + w.second, y);
      long swapped = z;
      z = x;
      x = swapped;
    }
    return mix(mix(v.first, w.first) + shiftMix(y) * K1 + z, mix(v.second, w.second) + x);
  }

  private record Weak(long first, long second) {}

  private static Weak weak(byte[] s, int at, long first, long second) {
    long z = fetch64(s, at + 24);
    long a = first + fetch64(s, at);
    long b = Long.rotateRight(second + a + z, 21);
    long c = a;
    a += fetch64(s, at + 8);
    a += fetch64(s, at + 16);
    b += Long.rotateRight(a, 44);
    return new Weak(a + z, b + c);
  }

  private static long mix(long u, long v) {
    long a = (u ^ v) * MUL;
    a ^= a >>> 47;
    long b = (v ^ a) * MUL;
    b ^= b >>> 47;
    return b * MUL;
  }

  private static long shiftMix(long value) {
    return value ^ (value >>> 47);
  }

  private static long fetch64(byte[] s, int at) {
    return (long) LONGS.get(s, at);
  }

  private static long fetch32(byte[] s, int at) {
    return (int) INTS.get(s, at) & 0xFFFF_FFFFL;
  }
}
