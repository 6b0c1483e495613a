package dev.veridex.common;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// Turns a position in a list into opaque text and back.
///
/// A list may go on after something that its reader may not see, so the text must not tell where;
/// and it must not be good for another list. The nonce is a keyed hash of what is sealed and of the
/// list, and proves both when it is opened: equal positions have equal texts, all others nothing in
/// common.
public final class CursorSeal {
  private static final int NONCE_BYTES = 16;

  private final SecretKeySpec encryption;
  private final SecretKeySpec authentication;

  CursorSeal(byte[] key) {
    this.encryption = new SecretKeySpec(Arrays.copyOf(mac(key, "encryption"), 16), "AES");
    this.authentication = new SecretKeySpec(mac(key, "authentication"), "HmacSHA256");
  }

  private static byte[] mac(byte[] key, String purpose) {
    return new KeyedHash(new SecretKeySpec(key, "HmacSHA256"))
        .of(new KeyWriter().string("cursor").string(purpose).toKey());
  }

  /// Seals a position.
  ///
  /// @param list what the position is in
  public String seal(byte[] list, byte[] position) {
    byte[] nonce = nonce(list, position);
    byte[] sealed = crypt(Cipher.ENCRYPT_MODE, nonce, position);
    byte[] all = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
    System.arraycopy(sealed, 0, all, NONCE_BYTES, sealed.length);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
  }

  /// The position that a text seals.
  ///
  /// @throws VeridexException `BAD_REQUEST` unless it was sealed here for this very list
  public byte[] open(byte[] list, String text) {
    byte[] all;
    try {
      all = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw unknown();
    }
    if (all.length < NONCE_BYTES) {
      throw unknown();
    }
    byte[] nonce = Arrays.copyOf(all, NONCE_BYTES);
    byte[] position =
        crypt(Cipher.DECRYPT_MODE, nonce, Arrays.copyOfRange(all, NONCE_BYTES, all.length));
    if (!MessageDigest.isEqual(nonce, nonce(list, position))) {
      throw unknown();
    }
    return position;
  }

  private byte[] nonce(byte[] list, byte[] position) {
    byte[] both = new KeyWriter().bytes(list).bytes(position).toKey();
    return Arrays.copyOf(new KeyedHash(authentication).of(both), NONCE_BYTES);
  }

  private byte[] crypt(int mode, byte[] nonce, byte[] bytes) {
    try {
      Cipher cipher = Cipher.getInstance("AES/CTR/NoPadding");
      cipher.init(mode, encryption, new IvParameterSpec(nonce));
      byte[] done = cipher.doFinal(bytes);
      return done == null ? new byte[0] : done;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has AES", e);
    }
  }

  private static VeridexException unknown() {
    return new VeridexException(
        Problem.of(ErrorCode.BAD_REQUEST, "this list never gave out such a cursor")
            .with("parameter", "cursor"));
  }

  /// A hash that takes a key.
  private record KeyedHash(SecretKeySpec key) {
    byte[] of(byte[] bytes) {
      try {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(key);
        return mac.doFinal(bytes);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every Java platform has HMAC", e);
      }
    }
  }
}
