package dev.veridex.documents.receive;

import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.BucketLookup;
import dev.veridex.buckets.BucketSettings;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.TtlPolicy;
import dev.veridex.common.TtlPolicy.Life;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.registry.BodyCodec;
import dev.veridex.documents.registry.DocumentConversion;
import dev.veridex.documents.registry.DocumentResources;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Violation;
import dev.veridex.index.Schema;
import dev.veridex.protocol.Action;
import dev.veridex.protocol.RawDocument;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Validation of a document on its own: its required members, and the schema of its epoch.
final class DocumentValidator {
  private static final int MAX_KEY_BYTES = 1024;

  /// How far ahead of ours a sender's clock may be.
  private static final Duration AHEAD = Duration.ofMinutes(10);

  /// In which order what is wrong is told; everything else comes last.
  private static final List<ErrorCode> ORDER =
      List.of(
          ErrorCode.BAD_REQUEST,
          ErrorCode.BAD_KEY,
          ErrorCode.BAD_VERSION,
          ErrorCode.BAD_TIMESTAMP,
          ErrorCode.BAD_ACTION,
          ErrorCode.UNKNOWN_EPOCH,
          ErrorCode.STALE_EPOCH,
          ErrorCode.BAD_TTL);

  private final Instant now;
  private final Bucket bucket;
  private final TtlPolicy ttlPolicy;
  private final Epochs epochs;

  DocumentValidator(Instant now, BucketLookup.LocatedBucket found, Epochs epochs) {
    this.now = now;
    this.bucket = found.bucket();
    this.ttlPolicy = found.ttlPolicy();
    this.epochs = epochs;
  }

  /// The result of validating one input.
  sealed interface Validation {
    String pk();
  }

  /// A document with which nothing is wrong.
  ///
  /// @param conversion in the terms of its epoch's schema; absent if it is to be deleted
  /// @param hash of what it says
  /// @param body packed; empty if it is to be deleted
  record Valid(
      RawDocument document,
      VersionTuple tuple,
      Optional<DocumentConversion> conversion,
      byte[] hash,
      byte[] body,
      Optional<Instant> expiresAt)
      implements Validation {
    @Override
    public String pk() {
      return document.getPk();
    }

    boolean isDelete() {
      return conversion.isEmpty();
    }
  }

  /// A document that is refused.
  record Invalid(String pk, ReceiveResult result) implements Validation {}

  Validation validate(DocumentInput input) {
    return switch (input) {
      case DocumentInput.Invalid(var problem) ->
          new Invalid("", ReceiveResult.Refused.of("", problem));
      case DocumentInput.Parsed(RawDocument document, List<Violation> violations) ->
          validate(document, violations);
    };
  }

  private Validation validate(RawDocument document, List<Violation> before) {
    List<Violation> violations = new ArrayList<>(before);
    key(document, violations);
    if (document.getVersion() < 0) {
      violations.add(new Violation(ErrorCode.BAD_VERSION, "a version is not negative", "/version"));
    }
    Optional<Instant> modifiedAt = modifiedAt(document, violations);
    boolean delete = document.getAction() == Action.DELETE;
    boolean known = delete || document.getAction() == Action.UPSERT;
    if (!known && lacks(violations, ErrorCode.BAD_ACTION)) {
      violations.add(
          new Violation(ErrorCode.BAD_ACTION, "an action is UPSERT or DELETE", "/action"));
    }
    Optional<Epochs.Epoch> epoch = epoch(document.getEpoch(), violations);
    Optional<Instant> expiresAt =
        delete ? Optional.empty() : modifiedAt.flatMap(time -> end(document, time, violations));
    Optional<DocumentConversion> conversion =
        delete ? Optional.empty() : content(document, epoch, violations);
    if (!delete) {
      DocumentResources.violation(DocumentSettings.of(bucket), document).ifPresent(violations::add);
    }
    if (!violations.isEmpty() || modifiedAt.isEmpty()) {
      violations.sort(Comparator.comparingInt(DocumentValidator::rank));
      return new Invalid(document.getPk(), new ReceiveResult.Refused(document.getPk(), violations));
    }
    VersionTuple tuple =
        new VersionTuple(
            document.getEpoch(), document.getVersion(), Expiry.micros(modifiedAt.get()));
    return new Valid(
        document,
        tuple,
        conversion,
        conversion.map(DocumentConversion::hash).orElseGet(DocumentValidator::deletion),
        delete ? new byte[0] : BodyCodec.pack(document),
        expiresAt);
  }

  private static byte[] deletion() {
    return DocumentConversion.hash(RawDocument.newBuilder().setAction(Action.DELETE).build());
  }

  private static int rank(Violation violation) {
    int rank = ORDER.indexOf(violation.code());
    return rank < 0 ? ORDER.size() : rank;
  }

  private static boolean lacks(List<Violation> violations, ErrorCode code) {
    return violations.stream().map(Violation::code).noneMatch(Predicate.isEqual(code));
  }

  private void key(RawDocument document, List<Violation> violations) {
    String pk = document.getPk();
    int bytes = pk.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > MAX_KEY_BYTES || !KeyWriter.isWellFormed(pk)) {
      if (lacks(violations, ErrorCode.BAD_KEY)) {
        violations.add(
            new Violation(ErrorCode.BAD_KEY, "a key has 1 to 1024 bytes of UTF-8", "/pk"));
      }
    } else if (BucketSettings.isReserved(bucket.wanted().settings().resourcePrefix() + pk)) {
      violations.add(
          new Violation(
              ErrorCode.BAD_KEY, "a resource's id does not begin with bucket: or s3://", "/pk"));
    }
  }

  private Optional<Instant> modifiedAt(RawDocument document, List<Violation> violations) {
    Optional<Instant> time =
        document.hasModifiedAt()
            ? DocumentConversion.time(document.getModifiedAt())
            : Optional.empty();
    if (time.isEmpty()) {
      if (lacks(violations, ErrorCode.BAD_TIMESTAMP)) {
        violations.add(
            new Violation(
                ErrorCode.BAD_TIMESTAMP,
                "a document says when it was made, as 2026-01-31T12:00:00Z",
                "/modifiedAt"));
      }
    } else if (time.get().isAfter(now.plus(AHEAD))) {
      violations.add(
          new Violation(
              ErrorCode.BAD_TIMESTAMP,
              "a document is made no later than ten minutes from now",
              "/modifiedAt"));
    }
    return time;
  }

  private Optional<Epochs.Epoch> epoch(long number, List<Violation> violations) {
    Optional<Epochs.Epoch> epoch = epochs.find(number);
    if (epoch.isEmpty() && lacks(violations, ErrorCode.UNKNOWN_EPOCH)) {
      boolean over = number > 0 && number < epochs.serving().number();
      violations.add(
          over
              ? new Violation(
                  ErrorCode.STALE_EPOCH, "this epoch is over, a later one is serving", "/epoch")
              : new Violation(ErrorCode.UNKNOWN_EPOCH, "there is no such epoch", "/epoch"));
    }
    return epoch;
  }

  private Optional<Instant> end(
      RawDocument document, Instant modifiedAt, List<Violation> violations) {
    if (!lacks(violations, ErrorCode.BAD_TTL)) {
      return Optional.empty();
    }
    Optional<Duration> ttl =
        document.hasTtl() ? Optional.of(Duration.ofSeconds(document.getTtl())) : Optional.empty();
    Life life = ttlPolicy.settle(modifiedAt, ttl, Optional.empty());
    return switch (life) {
      case Life.Forever() -> Optional.empty();
      case Life.Until(Instant end, _) -> Optional.of(end);
      case Life.Refused(var problem) -> {
        violations.add(new Violation(ErrorCode.BAD_TTL, problem.detail(), "/ttl"));
        yield Optional.empty();
      }
    };
  }

  private static Optional<DocumentConversion> content(
      RawDocument document, Optional<Epochs.Epoch> epoch, List<Violation> violations) {
    if (document.getSerializedSize() > BodyCodec.MAX_BYTES) {
      violations.add(
          new Violation(ErrorCode.TOO_LARGE, "a document has at most 4 MiB, serialized", ""));
      return Optional.empty();
    }
    if (document.getFieldsCount() == 0 && lacks(violations, ErrorCode.NO_FIELDS)) {
      violations.add(new Violation(ErrorCode.NO_FIELDS, "a document has fields", "/fields"));
    }
    // Without an epoch, what can be said is said all the same.
    DocumentConversion conversion =
        DocumentConversion.settling(document, epoch.map(Epochs.Epoch::schema).orElse(Schema.EMPTY));
    violations.addAll(conversion.violations());
    return Optional.of(conversion);
  }
}
