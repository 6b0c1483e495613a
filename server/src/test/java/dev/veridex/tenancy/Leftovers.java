package dev.veridex.tenancy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.veridex.common.RecordKind;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.List;

/// Looks into the raw store for what a deleted account may have left. Neighbours whose names begin
/// with its name and a dash are not meant.
final class Leftovers {
  private Leftovers() {}

  /// Every record that names the account, but for the number that must never be used again, and
  /// what the log of Global tells.
  static List<String> records(Store store, String account) {
    List<String> left = new ArrayList<>();
    try (Snapshot snapshot = store.snapshot();
        Cursor all = snapshot.scanWithExpired(KeyRange.ALL, Direction.FORWARD)) {
      while (all.next()) {
        int space = all.key()[0];
        String text = new String(all.key(), ISO_8859_1) + new String(all.value(), ISO_8859_1);
        boolean meant =
            space == RecordKind.ACCOUNT_INCARNATION.code()
                || (space == RecordKind.AUDIT.code() && text.contains("account.delete"));
        if (names(text, account) && !meant) {
          left.add(space + " " + text);
        }
      }
    }
    return left;
  }

  /// Counters are apart from records, and have to go as well.
  static List<String> counters(Store store, String account) {
    try (Snapshot snapshot = store.snapshot()) {
      return snapshot.counters(KeyRange.ALL).stream()
          .map(counter -> new String(counter.key(), ISO_8859_1))
          .filter(key -> names(key, account))
          .toList();
    }
  }

  private static boolean names(String text, String account) {
    return text.replace(account + "-", "").contains(account);
  }
}
