package dev.veridex.identity;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Revision;
import dev.veridex.common.Scope;
import dev.veridex.identity.AuditEntry.Outcome;
import dev.veridex.identity.Token.Flag;
import dev.veridex.records.Incarnations;
import dev.veridex.records.RecordPages;
import dev.veridex.store.CommitResult;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import dev.veridex.store.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/// Mints, recognises and revokes tokens.
///
/// A token's record stands under the hash of its secret, so recognising a caller is one read, and a
/// revocation is effective with its commit: nothing is cached.
public final class Tokens {
  private static final int ID_BYTES = 12;
  private static final String MINT = "token.mint";
  private static final String REVOKE = "token.revoke";
  private static final String ROOT = "root";

  /// Stays when the root token goes.
  private static final byte[] ROOT_MARK =
      new KeyWriter().octet(RecordKind.TOKEN_ROOT.code()).toKey();

  private final Store store;
  private final AuditLog audit;
  private final Incarnations incarnations;
  private final RandomGenerator random;

  /// @param random an unpredictable one: secrets come from it
  public Tokens(Store store, AuditLog audit, Incarnations incarnations, RandomGenerator random) {
    this.store = store;
    this.audit = audit;
    this.incarnations = incarnations;
    this.random = random;
  }

  /// The token that a secret proves, if it is still good.
  public Optional<Token> authenticate(String secret) {
    try (Snapshot snapshot = store.snapshot()) {
      return snapshot
          .get(byHash(TokenSecret.hash(secret)))
          .map(TokenCodec::decode)
          .filter(token -> isCurrent(snapshot, token));
    }
  }

  /// Mints a token, if the minter may have it.
  public MintResult mint(Token minter, TokenRequest request) {
    String secret = TokenSecret.random(random);
    byte[] idBytes = new byte[ID_BYTES];
    random.nextBytes(idBytes);
    String id = HexFormat.of().formatHex(idBytes);
    CommitResult<MintResult> committed =
        store.transact(
            transaction -> {
              Optional<Problem> refusal =
                  worthless(transaction, minter)
                      .or(() -> TokenBounds.refusal(minter, request, transaction.now()));
              if (refusal.isPresent()) {
                return refused(transaction, minter, request, refusal.get());
              }
              Token token = token(transaction, id, minter, request);
              write(transaction, token, TokenSecret.hash(secret));
              audit.append(
                  transaction,
                  entry(transaction, minter, MINT, token.scope(), id)
                      .withNewExpiry(token.expiresAt()));
              return new MintResult.Minted(token, secret, transaction.revision());
            });
    return switch (committed.result()) {
      case MintResult.Minted(Token token, String minted, _) ->
          new MintResult.Minted(token, minted, committed.revision());
      case MintResult.Refused refused -> refused;
    };
  }

  /// A minter may have been revoked since it was recognised. Looked at inside the transaction, so
  /// that no token outlives the revocation of the one that minted it by being faster.
  private Optional<Problem> worthless(Reader reader, Token minter) {
    return find(reader, minter.id()).filter(minter::equals).isPresent()
        ? Optional.empty()
        : Optional.of(
            Problem.of(ErrorCode.UNAUTHENTICATED, "the token is unknown, expired or revoked"));
  }

  private MintResult refused(
      Transaction transaction, Token minter, TokenRequest request, Problem problem) {
    // What happens in a scope that the minter does not reach is none of its log's business.
    boolean reached = minter.reaches(request.scope());
    audit.append(
        transaction,
        entry(
                transaction,
                minter,
                MINT,
                reached ? request.scope() : minter.scope(),
                request.scope().text())
            .withOutcome(Outcome.REFUSED, problem.code().name()));
    return new MintResult.Refused(problem);
  }

  private Token token(Reader reader, String id, Token minter, TokenRequest request) {
    Instant now = reader.now();
    return new Token(
        id,
        request.scope(),
        incarnations.of(reader, request.scope()),
        request.descendants(),
        request.subject(),
        request.groups(),
        request.serviceId(),
        request.flags(),
        now,
        request.ttl().map(now::plus).or(minter::expiresAt));
  }

  /// The first token: Global, administrator, never expiring, able to hand out every flag and group.
  ///
  /// The same secret again changes nothing; another secret replaces the root token before it.
  public Token adoptRoot(String secret) {
    byte[] hash = TokenSecret.hash(secret);
    return store
        .transact(
            transaction -> {
              Optional<byte[]> before = transaction.get(byId(ROOT));
              Optional<Token> same =
                  before
                      .filter(old -> Arrays.equals(old, hash))
                      .flatMap(old -> transaction.get(byHash(old)))
                      .map(TokenCodec::decode);
              if (same.isPresent()) {
                return same.get();
              }
              if (before.isPresent()) {
                transaction.delete(byHash(before.get()));
                audit.append(transaction, rootEntry(transaction, REVOKE));
              }
              Token root =
                  new Token(
                      ROOT,
                      new Scope.Global(),
                      0,
                      false,
                      Optional.empty(),
                      new TreeSet<>(List.of(Token.ANY_GROUP)),
                      Optional.empty(),
                      EnumSet.allOf(Flag.class),
                      transaction.now(),
                      Optional.empty());
              write(transaction, root, hash);
              transaction.put(ROOT_MARK, new byte[0]);
              audit.append(transaction, rootEntry(transaction, MINT));
              return root;
            })
        .result();
  }

  /// What whoever starts the server does to the root token, the root token does to itself.
  private static AuditEntry rootEntry(Transaction transaction, String operation) {
    return AuditEntry.of(
        transaction.now(), ROOT, Optional.empty(), operation, new Scope.Global(), List.of(ROOT));
  }

  /// Whether there ever was a root token.
  public boolean hadRoot() {
    try (Snapshot snapshot = store.snapshot()) {
      return snapshot.get(ROOT_MARK).isPresent();
    }
  }

  /// The token with an id, if the caller administers its scope.
  public Optional<Token> find(Token caller, String id) {
    try (Snapshot snapshot = store.snapshot()) {
      return find(snapshot, caller, id);
    }
  }

  /// The tokens of exactly this scope, in the order of their ids; none if the caller does not
  /// administer it.
  ///
  /// @param cursor of the page before
  public Page<Token> list(Token caller, Scope scope, Optional<String> cursor, int limit) {
    if (!caller.administers(scope)) {
      return Page.last(List.of());
    }
    try (Snapshot snapshot = store.snapshot()) {
      return RecordPages.page(
          snapshot,
          scopePrefix(scope, incarnations.of(snapshot, scope)),
          cursor,
          limit,
          (_, hash) -> snapshot.get(byHash(hash)).map(TokenCodec::decode),
          Token::id);
    }
  }

  /// The subjects that some token of exactly this scope stands for.
  public Set<String> subjects(Reader reader, Scope scope) {
    Set<String> subjects = new HashSet<>();
    KeyRange tokens = KeyRange.prefix(scopePrefix(scope, incarnations.of(reader, scope)));
    try (Cursor found = reader.scan(tokens, Direction.FORWARD)) {
      while (found.next()) {
        reader
            .get(byHash(found.value()))
            .map(TokenCodec::decode)
            .flatMap(Token::subject)
            .ifPresent(subjects::add);
      }
    }
    return subjects;
  }

  /// Makes a token worthless at once.
  ///
  /// @return from when on; absent if there is none that the caller could revoke
  public Optional<Revision> revoke(Token caller, String id) {
    CommitResult<Boolean> committed =
        store.transact(
            transaction -> {
              Optional<Token> token = find(transaction, caller, id);
              if (token.isEmpty()) {
                audit.append(
                    transaction,
                    entry(transaction, caller, REVOKE, caller.scope(), id)
                        .withOutcome(Outcome.REFUSED, ErrorCode.NOT_FOUND.name()));
                return false;
              }
              Token revoked = token.get();
              byte[] hash = transaction.get(byId(id)).orElseThrow();
              transaction.delete(byHash(hash));
              transaction.delete(byId(id));
              transaction.delete(inScope(revoked));
              audit.append(
                  transaction,
                  entry(transaction, caller, REVOKE, revoked.scope(), id)
                      .withOldExpiry(revoked.expiresAt()));
              return true;
            });
    return committed.result() ? Optional.of(committed.revision()) : Optional.empty();
  }

  /// Removes tokens of a scope that is gone, all records of each.
  ///
  /// @return whether there may be more
  public static boolean removeSome(Transaction transaction, byte[] scopePrefix, int limit) {
    List<byte[]> removed = new ArrayList<>();
    try (Cursor found = transaction.scan(KeyRange.prefix(scopePrefix), Direction.FORWARD)) {
      while (removed.size() < limit && found.next()) {
        transaction.delete(byHash(found.value()));
        transaction.delete(byId(new KeyReader(found.key(), scopePrefix.length).string()));
        removed.add(found.key());
      }
    }
    removed.forEach(transaction::delete);
    return removed.size() == limit;
  }

  private Optional<Token> find(Reader reader, Token caller, String id) {
    return find(reader, id).filter(token -> caller.administers(token.scope()));
  }

  private Optional<Token> find(Reader reader, String id) {
    return reader
        .get(byId(id))
        .flatMap(hash -> reader.get(byHash(hash)))
        .map(TokenCodec::decode)
        .filter(token -> isCurrent(reader, token));
  }

  /// Whether the scope that a token was minted for is still the same one.
  private boolean isCurrent(Reader reader, Token token) {
    return incarnations.of(reader, token.scope()) == token.incarnation();
  }

  private static AuditEntry entry(
      Transaction transaction, Token actor, String operation, Scope scope, String id) {
    return AuditEntry.of(transaction.now(), actor, operation, scope, List.of(id));
  }

  /// All three records of a token expire together.
  private static void write(Transaction transaction, Token token, byte[] hash) {
    put(transaction, byHash(hash), TokenCodec.encode(token), token.expiresAt());
    put(transaction, byId(token.id()), hash, token.expiresAt());
    put(transaction, inScope(token), hash, token.expiresAt());
  }

  private static void put(
      Transaction transaction, byte[] key, byte[] value, Optional<Instant> expiresAt) {
    expiresAt.ifPresentOrElse(
        end -> transaction.put(key, value, end), () -> transaction.put(key, value));
  }

  static byte[] byHash(byte[] hash) {
    return new KeyWriter().octet(RecordKind.TOKEN_BY_HASH.code()).bytes(hash).toKey();
  }

  static byte[] byId(String id) {
    return new KeyWriter().octet(RecordKind.TOKEN_BY_ID.code()).string(id).toKey();
  }

  static byte[] inScope(Token token) {
    byte[] prefix = scopePrefix(token.scope(), token.incarnation());
    return KeyWriter.after(prefix).string(token.id()).toKey();
  }

  private static byte[] scopePrefix(Scope scope, long incarnation) {
    return new KeyWriter().scope(RecordKind.TOKEN.code(), scope, incarnation).toKey();
  }
}
