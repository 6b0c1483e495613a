package dev.veridex.index.lucene;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.nio.file.NoSuchFileException;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.IndexFormatTooNewException;
import org.apache.lucene.index.IndexFormatTooOldException;
import org.apache.lucene.index.IndexNotFoundException;

/// Distinguishes a damaged index, which must be rebuilt, from one that is temporarily unreachable.
final class DamageDetector {
  private DamageDetector() {}

  static boolean isDamage(Throwable e) {
    for (Throwable each = e; each != null; each = each.getCause()) {
      switch (each) {
        case CorruptIndexException _,
            IndexFormatTooOldException _,
            IndexFormatTooNewException _,
            IndexNotFoundException _,
            NoSuchFileException _,
            FileNotFoundException _,
            EOFException _ -> {
          return true;
        }
        default -> {}
      }
    }
    return false;
  }
}
