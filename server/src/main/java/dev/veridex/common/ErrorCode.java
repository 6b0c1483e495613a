package dev.veridex.common;

/// The name of one kind of failure, as clients see it in the `code` of a problem.
///
/// A code is part of the API: it is never renamed and never changes its meaning.
public enum ErrorCode {
  /// A request or a stored byte string does not have the shape it must have.
  BAD_REQUEST(false),
  /// The caller's token is missing, unknown, expired or revoked.
  UNAUTHENTICATED(false),
  /// The caller is known and may not do this.
  FORBIDDEN(false),
  /// There is no such thing, or the caller may not know of it.
  NOT_FOUND(false),
  /// The path exists, but not with this method.
  METHOD_NOT_ALLOWED(false),
  /// It was deleted, and what was in it is being removed.
  GONE(false),
  /// A condition of the request does not hold.
  PRECONDITION_FAILED(false),
  /// A name breaks the rules of names.
  INVALID_NAME(false),
  /// There is no such type of buckets.
  UNKNOWN_TYPE(false),
  /// A quota of an account or a bucket does not allow this.
  QUOTA_EXCEEDED(false),
  /// An item's key breaks the rules of keys.
  BAD_KEY(false),
  /// A message of an object store cannot be read.
  BAD_EVENT(false),
  /// A sequencer of an object store is not 1 to 30 hexadecimal digits.
  BAD_SEQUENCER(false),
  /// A service names no subject for whom it reads.
  SUBJECT_REQUIRED(false),
  /// Several keys of an access index read like the given text.
  AMBIGUOUS_KEY(false),
  /// A document's version is negative.
  BAD_VERSION(false),
  /// A document has no time of its own, or one that is too far ahead.
  BAD_TIMESTAMP(false),
  /// A document says neither that it is to be stored nor that it is to be deleted.
  BAD_ACTION(false),
  /// There is no such epoch.
  UNKNOWN_EPOCH(false),
  /// An epoch is over: a later one is serving.
  STALE_EPOCH(false),
  /// A document's time to live is not positive, or not one that its bucket allows.
  BAD_TTL(false),
  /// A document to be stored has no fields.
  NO_FIELDS(false),
  /// A value does not fit the schema of its epoch.
  SCHEMA_MISMATCH(false),
  /// A field has no value.
  EMPTY_FIELD_VALUE(false),
  /// The name of a field breaks the rules of names.
  BAD_NAME(false),
  /// Two fields, or a field and an embedding, have the same name.
  DUPLICATE_NAME(false),
  /// An embedding is not finite, or has another dimension than the schema says.
  BAD_EMBEDDING(false),
  /// A document is larger than it may be.
  TOO_LARGE(false),
  /// A newer version of a document is known.
  STALE_DOCUMENT(false),
  /// A document is so old that it may have been deleted, and nobody would remember.
  TOO_LATE(false),
  /// A document was refused for a reason that its writer may not know.
  REJECTED(false),
  /// Others kept changing the same document; nothing was done.
  ABORTED(true),
  /// Both sides of an upgrade are not equal, so it cannot be finished.
  UPGRADE_DIFFERS(false),
  /// There is something of that name already.
  ALREADY_EXISTS(false),
  /// The body is larger than a request may be.
  BODY_TOO_LARGE(false),
  /// The headers of a request are larger than they may be.
  HEADERS_TOO_LARGE(false),
  /// The path and query of a request are longer than they may be.
  TARGET_TOO_LONG(false),
  /// The body's content type or encoding is not one this route reads.
  UNSUPPORTED_MEDIA_TYPE(false),
  /// The request speaks a version of HTTP that is not spoken here.
  UNSUPPORTED_HTTP_VERSION(false),
  /// The client took too long to send its request.
  REQUEST_TIMEOUT(true),
  /// Too many wrong tokens came from the caller's address.
  TOO_MANY_ATTEMPTS(true),
  /// The server has as much to do as it takes on; nothing was done.
  OVERLOADED(true),
  /// The server is about to stop; nothing was done.
  STOPPING(true),
  /// A fault of ours; the log has the rest.
  INTERNAL(false),
  /// A setting is unknown or has no sensible value.
  BAD_CONFIGURATION(false),
  /// A request names no scope, and the server is configured to insist on one.
  SCOPE_REQUIRED(false),
  /// A scope's text or one of its parts breaks the rules of [Scope].
  INVALID_SCOPE(false),
  /// The caller's scope does not reach the requested one.
  SCOPE_DENIED(false),
  /// A time to live is not positive, or outside the bounds of its [TtlPolicy].
  INVALID_TTL(false),
  /// A [TtlPolicy] contradicts itself.
  INVALID_TTL_POLICY(false),
  /// A key is empty or longer than a store takes.
  INVALID_KEY(false),
  /// A value is larger than a store takes.
  VALUE_TOO_LARGE(false),
  /// A transaction writes more than a store takes in one commit.
  TRANSACTION_TOO_LARGE(false),
  /// A revision is not one this store ever gave out: malformed, of another store, or of the future.
  UNKNOWN_REVISION(false),
  /// The changes since a revision are no longer kept.
  REVISION_TOO_OLD(false),
  /// Another request came with the same idempotency key.
  IDEMPOTENCY_CONFLICT(false),
  /// Other transactions kept changing what this one read.
  CONFLICT(true),
  /// The store cannot do this now; the outcome of a failed commit is unknown until it is read.
  UNAVAILABLE(true),
  /// The store was closed.
  CLOSED(false),
  /// Another process owns the store's folder.
  STORE_LOCKED(false),
  /// The folder holds something that is not a store.
  NOT_A_STORE(false),
  /// The folder was written by a version of Veridex that this one does not know.
  UNKNOWN_FORMAT(false),
  /// A search says something that cannot be asked.
  BAD_QUERY(false),
  /// A cursor is none of ours, or of another question.
  BAD_CURSOR(false),
  /// A cursor was not used for too long.
  CURSOR_EXPIRED(false),
  /// What was asked to be in an answer was not yet there when the time was over.
  NOT_YET_FRESH(true),
  /// A search index does not take a document.
  INDEX_REFUSED(false),
  /// A search index is being made.
  INDEX_BUILDING(true),
  /// A search index cannot be read, and is made anew.
  INDEX_DAMAGED(true),
  /// A file of the store is damaged, cut short or missing.
  CORRUPT_STORE(false),
  /// The clock is so far behind the system's that the engine would drop records still in use.
  CLOCK_BEHIND(false),
  /// This engine does not offer the operation.
  UNSUPPORTED(false);

  private final boolean retryable;

  ErrorCode(boolean retryable) {
    this.retryable = retryable;
  }

  /// Whether the same request may succeed later without being changed.
  public boolean retryable() {
    return retryable;
  }
}
