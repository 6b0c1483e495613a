package dev.veridex.grants;

import dev.veridex.common.Digests;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Token;
import dev.veridex.store.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;

/// The results of requests that came with an idempotency key, kept so that a retry gets the first
/// one.
final class IdempotentRequests {
  private static final Duration KEPT = Duration.ofHours(24);

  private final GrantRecords records;

  IdempotentRequests(GrantRecords records) {
    this.records = records;
  }

  /// The result of a request.
  ///
  /// @param outOfBounds whether its life is not one that the policy of its scope advises
  record RequestResult(Grant grant, boolean created, boolean outOfBounds) {}

  /// The key of a record about a request with an idempotency key.
  ///
  /// @param scope the token's for the digest of the request, the request's for its result
  private byte[] requestKey(
      Transaction transaction,
      RecordKind kind,
      Scope scope,
      Token caller,
      GrantRequest request,
      String key) {
    return KeyWriter.after(records.prefix(transaction, kind, scope))
        .string(caller.id())
        .string(request.key().kind().text())
        .string(key)
        .toKey();
  }

  /// The first result of a request that comes again. What a deleted scope held is not kept for it:
  /// the digest is with the token, the result is with the scope.
  ///
  /// @throws VeridexException `IDEMPOTENCY_CONFLICT` if it is another request
  Optional<RequestResult> first(
      Transaction transaction, Token caller, GrantRequest request, String key) {
    Optional<byte[]> digest =
        transaction.get(
            requestKey(
                transaction, RecordKind.GRANT_REQUEST, caller.scope(), caller, request, key));
    if (digest
        .filter(known -> !Arrays.equals(known, Digests.sha256(request.identity())))
        .isPresent()) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.IDEMPOTENCY_CONFLICT,
                  "Another request came with this idempotency key: use a new one.")
              .with("parameter", "Idempotency-Key"));
    }
    return transaction
        .get(
            requestKey(transaction, RecordKind.GRANT_RESULT, request.scope(), caller, request, key))
        .filter(_ -> digest.isPresent())
        .map(
            bytes -> {
              KeyReader in = new KeyReader(bytes);
              boolean created = in.octet() == 1;
              boolean outOfBounds = in.octet() == 1;
              return new RequestResult(
                  GrantRecords.decode(request.scope(), request.key(), in.bytes()),
                  created,
                  outOfBounds);
            });
  }

  /// Keeps the result of a request.
  void remember(
      Transaction transaction,
      Token caller,
      GrantRequest request,
      String key,
      RequestResult result) {
    Instant until = transaction.now().plus(KEPT).truncatedTo(ChronoUnit.MICROS);
    transaction.put(
        requestKey(transaction, RecordKind.GRANT_REQUEST, caller.scope(), caller, request, key),
        Digests.sha256(request.identity()),
        until);
    transaction.put(
        requestKey(transaction, RecordKind.GRANT_RESULT, request.scope(), caller, request, key),
        new KeyWriter()
            .octet(result.created ? 1 : 0)
            .octet(result.outOfBounds ? 1 : 0)
            .bytes(GrantRecords.encode(result.grant))
            .toKey(),
        until);
  }
}
