package dev.veridex.common;

/// The kind of a stored record: the first byte of its key.
///
/// Codes are stored, so they are never renumbered and never used again. The embedded store looks at
/// this byte to know where a kind of record can be; see `RocksDatabase.mayHold`.
public enum RecordKind {
  /// Tokens of a scope, by id: the hash of each.
  TOKEN(0x10, Under.NOTHING),
  /// Tokens by the hash of their secret: the token itself.
  TOKEN_BY_HASH(0x11, Under.NOTHING),
  /// Tokens by id, for whoever knows no scope: the hash.
  TOKEN_BY_ID(0x12, Under.NOTHING),
  /// The mark that there was a root token once.
  TOKEN_ROOT(0x13, Under.NOTHING),
  /// Audit entries of a scope, in commit order.
  AUDIT(0x18, Under.SCOPE),
  /// Accounts, by name.
  ACCOUNT(0x20, Under.NOTHING),
  /// How often an account's name was given up, and how often what is in it was arranged anew.
  ACCOUNT_INCARNATION(0x21, Under.NOTHING),
  /// How often the name of an account's environment was given up.
  ENVIRONMENT_INCARNATION(0x22, Under.NOTHING),
  /// Environments of an account, by name.
  ENVIRONMENT(0x23, Under.SCOPE),
  /// Services, by id.
  SERVICE(0x25, Under.SCOPE),
  /// Buckets, by name.
  BUCKET(0x28, Under.SCOPE),
  /// The names of buckets that were given up.
  BUCKET_NAME(0x29, Under.SCOPE),
  /// Counters of what an account and its environments hold.
  USAGE(0x2A, Under.SCOPE),
  /// Counters of what a bucket holds.
  BUCKET_USAGE(0x2B, Under.SCOPE),
  /// The current revision of each item, by key.
  ITEM(0x30, Under.BUCKET),
  /// Revisions of items that others have taken the place of, by key, newest first.
  ITEM_REVISION(0x31, Under.BUCKET),
  /// The bytes of each revision of an item.
  ITEM_VALUE(0x32, Under.BUCKET),
  /// The generation of derived records that an access index uses.
  ACCESS_GENERATION(0x40, Under.SCOPE),
  /// How far the flow of individuals has come.
  ACCESS_FLOW(0x41, Under.SCOPE),
  /// The ledger: what is kept of each individual, by id.
  ACCESS_LEDGER(0x42, Under.SCOPE),
  /// The ledger: the bits that an individual named as a command, by its id and record.
  ACCESS_COMMAND(0x43, Under.SCOPE),
  /// The ledger: the latest strikes, by record.
  ACCESS_STRIKE(0x44, Under.SCOPE),
  /// The ledger: the strikes that an individual made, by its id and record.
  ACCESS_STRUCK(0x45, Under.SCOPE),
  /// Derived: what each individual contributes to a record, by record and its id.
  ACCESS_CONTRIBUTION(0x48, Under.SCOPE),
  /// Derived: records of the access index, by key and subject.
  ACCESS_RECORD(0x49, Under.SCOPE),
  /// Derived: the same the other way round, by subject.
  ACCESS_BY_SUBJECT(0x4A, Under.SCOPE),
  /// Derived: who claims a login, the newest first.
  ACCESS_LOGIN(0x4B, Under.SCOPE),
  /// Derived from grants: the rights that they give, by object, until long after they have ended.
  ACCESS_GRANT(0x4C, Under.SCOPE),
  /// The same by subject.
  ACCESS_GRANT_BY_SUBJECT(0x4D, Under.SCOPE),
  /// The past: what each record was before a change, by record and number of the change.
  ACCESS_PAST(0x50, Under.SCOPE),
  /// The past: records that were removed, by subject.
  ACCESS_PAST_BY_SUBJECT(0x51, Under.SCOPE),
  /// The past: what changed the ledger, in commit order.
  ACCESS_CHANGE(0x52, Under.SCOPE),
  /// The past: what was kept of each individual before a change, by id and number of the change.
  ACCESS_PAST_LEDGER(0x53, Under.SCOPE),
  /// The past: the commands of an individual before a change, likewise.
  ACCESS_PAST_COMMAND(0x54, Under.SCOPE),
  /// The past: the strikes on each record before a change, likewise.
  ACCESS_PAST_STRIKE(0x55, Under.SCOPE),
  /// The past: the strikes that an individual had made before a change, likewise.
  ACCESS_PAST_STRUCK(0x56, Under.SCOPE),
  /// The past: what an individual contributed to a record before a change, likewise.
  ACCESS_PAST_CONTRIBUTION(0x57, Under.SCOPE),
  /// The past: what a grant gave before a change, likewise.
  ACCESS_PAST_GRANT(0x58, Under.SCOPE),
  /// The same by subject.
  ACCESS_PAST_GRANT_BY_SUBJECT(0x59, Under.SCOPE),
  /// The epochs of a bucket of documents.
  EPOCHS(0x60, Under.BUCKET),
  /// The schema of each epoch.
  SCHEMA(0x61, Under.BUCKET),
  /// The registry: what is known of each document, by the hash of its key, its key and epoch.
  DOCUMENT(0x62, Under.BUCKET),
  /// The registry: the bodies of documents, by the same keys.
  DOCUMENT_BODY(0x63, Under.BUCKET),
  /// Elements of queues, by queue and shard, in commit order. Counters: how many there were.
  QUEUE(0x68, Under.BUCKET),
  /// The groups of readers of queues, by queue.
  QUEUE_GROUP(0x69, Under.BUCKET),
  /// How far each group has come, and who reads for it, by queue and shard.
  QUEUE_OFFSET(0x6A, Under.BUCKET),
  /// Topics of the embedded engine, by name and partition, in commit order.
  TOPIC(0x6C, Under.BUCKET),
  /// How far the producers and the groups of readers of a topic have come.
  TOPIC_POSITION(0x6D, Under.BUCKET),
  /// Documents that an index did not take, by key: which state, and how often.
  REFUSED(0x6E, Under.BUCKET),
  /// Catalogues: counters of current objects and their bytes, by bucket of the store, storage class
  /// and reason.
  OBJECT_COUNT(0x77, Under.BUCKET),
  /// Catalogues: what is known of each object, by bucket and key of its store.
  OBJECT(0x78, Under.BUCKET),
  /// Catalogues: events, by object and sequencer; those without one by version and time.
  OBJECT_EVENT(0x79, Under.BUCKET),
  /// Catalogues: which event a row's id stands for.
  OBJECT_ID(0x7A, Under.BUCKET),
  /// Catalogues: what is known of each version of an object with many.
  OBJECT_VERSION(0x7B, Under.BUCKET),
  /// Catalogues: the versions of an object with many that are present, in their order.
  OBJECT_PRESENT(0x7C, Under.BUCKET),
  /// Catalogues: versions that are ordered by what is known of the whole object.
  OBJECT_FLOATING(0x7D, Under.BUCKET),
  /// Catalogues: what was known of an event before it was changed, by event and number of the
  /// change.
  OBJECT_PAST(0x7E, Under.BUCKET),
  /// Catalogues: messages that could not be read, in commit order.
  OBJECT_FAILED(0x7F, Under.BUCKET),
  /// The nodes that share the work, by id.
  NODE(0x70, Under.NOTHING),
  /// Approvals, by identity, resource and action.
  APPROVAL(0x80, Under.SCOPE),
  /// The same by resource.
  APPROVAL_BY_RESOURCE(0x81, Under.SCOPE),
  /// Relationships, by subject, relation and object.
  RELATIONSHIP(0x82, Under.SCOPE),
  /// The same by object.
  RELATIONSHIP_BY_OBJECT(0x83, Under.SCOPE),
  /// Since when grants had been given that were revoked, by kind and key.
  GRANT_REVOKED(0x84, Under.SCOPE),
  /// Digests of requests with an idempotency key, in the scope of their token, by token, kind and
  /// that key.
  GRANT_REQUEST(0x85, Under.SCOPE),
  /// The TTL policy of a scope.
  TTL_POLICY(0x86, Under.SCOPE),
  /// The state at which grants of a scope were deleted or moved last.
  GRANT_MARK(0x87, Under.SCOPE),
  /// The results of such requests, in the scope that they are about.
  GRANT_RESULT(0x8B, Under.SCOPE),
  /// Jobs, by id.
  JOB(0x88, Under.NOTHING),
  /// The same by scope, the newest first.
  JOB_BY_SCOPE(0x89, Under.NOTHING),
  /// The kinds of those that are not over, by scope and id.
  JOB_OPEN(0x8A, Under.NOTHING);

  /// The owner of a kind of records: the prefix of their keys after the kind, and what removes them
  /// when it is deleted.
  public enum Under {
    /// Something of their own; whoever writes them removes them, too.
    NOTHING,
    /// A scope and its incarnation.
    SCOPE,
    /// A scope, a bucket's name and the number of the side of the bucket that they are on.
    BUCKET
  }

  private final int code;
  private final Under under;

  RecordKind(int code, Under under) {
    this.code = code;
    this.under = under;
  }

  public int code() {
    return code;
  }

  public Under under() {
    return under;
  }
}
