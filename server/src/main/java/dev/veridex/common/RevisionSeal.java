package dev.veridex.common;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/// Turns revisions into opaque text and back, with a key that only the store knows.
///
/// A revision is exactly one AES block, so sealing is one block encryption: a permutation that
/// needs no nonce. The text tells a tenant nothing about how much others write, and whoever alters
/// a character gets another store's id with a probability of all but 2^-64, hence an unknown
/// revision.
public final class RevisionSeal {
  /// The length of a sealing key in bytes.
  public static final int KEY_BYTES = 16;

  private static final int BLOCK_BYTES = 16;
  private final long storeId;
  private final SecretKeySpec key;

  /// The last one, for most answers are about the same as the one before.
  private volatile SealedRevision last = new SealedRevision(new Revision(0, 0), "");

  private record SealedRevision(Revision revision, String text) {}

  public RevisionSeal(long storeId, byte[] key) {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException("a sealing key has 16 bytes");
    }
    this.storeId = storeId;
    this.key = new SecretKeySpec(key, "AES");
  }

  /// The text of a revision: 22 characters of `A-Z a-z 0-9 - _`.
  public String seal(Revision revision) {
    SealedRevision known = last;
    if (known.revision.equals(revision) && !known.text.isEmpty()) {
      return known.text;
    }
    String text = sealed(revision);
    last = new SealedRevision(revision, text);
    return text;
  }

  private String sealed(Revision revision) {
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    block.putLong(revision.storeId()).putLong(revision.sequence());
    byte[] sealed = crypt(Cipher.ENCRYPT_MODE, block.array());
    return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
  }

  /// The revision of a text.
  ///
  /// @throws VeridexException `UNKNOWN_REVISION` if this store cannot have sealed the text
  public Revision open(String text) {
    byte[] sealed;
    try {
      sealed = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw unknown();
    }
    if (sealed.length != BLOCK_BYTES
        || !Base64.getUrlEncoder().withoutPadding().encodeToString(sealed).equals(text)) {
      throw unknown();
    }
    ByteBuffer block = ByteBuffer.wrap(crypt(Cipher.DECRYPT_MODE, sealed));
    long openedStoreId = block.getLong();
    long sequence = block.getLong();
    if (openedStoreId != storeId || sequence < 0) {
      throw unknown();
    }
    return new Revision(openedStoreId, sequence);
  }

  /// The seal of cursors, with a key derived from this one's.
  public CursorSeal cursors() {
    return new CursorSeal(key.getEncoded());
  }

  private static VeridexException unknown() {
    return new VeridexException(
        Problem.of(ErrorCode.UNKNOWN_REVISION, "this store never gave out such a revision"));
  }

  @SuppressWarnings("InsecureCryptoUsage") // One block that is never two equal plaintexts apart.
  private byte[] crypt(int mode, byte[] block) {
    try {
      Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
      cipher.init(mode, key);
      byte[] result = cipher.doFinal(block);
      return Arrays.copyOf(result, BLOCK_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has AES", e);
    }
  }
}
