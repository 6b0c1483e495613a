package dev.veridex.documents.publish;

import dev.veridex.common.BucketLocation;
import dev.veridex.queue.Queue;
import java.util.List;

/// The queues of a bucket of documents.
public final class DocumentQueues {
  /// Accepted documents.
  public static final String MAIN = "main";

  /// Documents that a rebuild publishes again.
  public static final String EMERGENCY = "emergency";

  /// Tasks that failed and are retried.
  public static final String FAILED = "failed";

  /// Tasks that failed too often, and wait for a person.
  public static final String DEAD = "dead";

  /// All of them.
  public static final List<String> NAMES = List.of(MAIN, EMERGENCY, FAILED, DEAD);

  /// The reader group of publishers.
  public static final String PUBLISHERS = "indexers";

  private DocumentQueues() {}

  public static Queue main(BucketLocation location) {
    return new Queue(location, MAIN);
  }
}
