package dev.veridex.identity;

import dev.veridex.common.IntegrityScan;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.RecordKind;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/// Integrity scan of tokens: the three records of each token agree: the one by hash that holds it,
/// the one by id and the one in its scope.
public final class TokenIntegrity implements IntegrityScan {
  private static final int PROGRESS_EVERY = 10_000;

  private final Store store;

  public TokenIntegrity(Store store) {
    this.store = store;
  }

  @Override
  public String name() {
    return "tokens";
  }

  @Override
  public Outcome run(LongConsumer progress) {
    try (Snapshot snapshot = store.snapshot()) {
      return run(snapshot, progress);
    }
  }

  /// Looks at the tokens that a reader sees.
  public static Outcome run(Reader reader, LongConsumer progress) {
    List<String> drift = new ArrayList<>();
    long tokens = 0;
    try (Cursor cursor = reader.scan(all(RecordKind.TOKEN_BY_HASH), Direction.FORWARD)) {
      while (cursor.next()) {
        tokens++;
        byte[] hash = new KeyReader(cursor.key(), 1).bytes();
        examine(reader, TokenCodec.decode(cursor.value()), hash, drift);
        if (tokens % PROGRESS_EVERY == 0) {
          progress.accept(tokens);
        }
      }
    }
    compare(drift, "ids", count(reader, RecordKind.TOKEN_BY_ID), tokens);
    compare(drift, "entries in scopes", count(reader, RecordKind.TOKEN), tokens);
    return new Outcome(tokens, drift);
  }

  private static void examine(Reader reader, Token token, byte[] hash, List<String> drift) {
    if (drift.size() < Outcome.MAX_DRIFT) {
      if (!leadsTo(reader.get(Tokens.byId(token.id())), hash)) {
        drift.add("the id of token " + token.id() + " does not lead to it");
      }
      if (!leadsTo(reader.get(Tokens.inScope(token)), hash)) {
        drift.add("the scope of token " + token.id() + " does not list it");
      }
    }
  }

  private static boolean leadsTo(Optional<byte[]> found, byte[] hash) {
    return found.isPresent() && Arrays.equals(found.get(), hash);
  }

  private static void compare(List<String> drift, String what, long found, long expected) {
    if (found != expected) {
      drift.add("there are %d %s of %d tokens".formatted(found, what, expected));
    }
  }

  private static long count(Reader reader, RecordKind kind) {
    long count = 0;
    try (Cursor cursor = reader.scan(all(kind), Direction.FORWARD)) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  private static KeyRange all(RecordKind kind) {
    return KeyRange.prefix(new KeyWriter().octet(kind.code()).toKey());
  }
}
