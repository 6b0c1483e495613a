package dev.veridex.documents.publish;

import dev.veridex.common.BucketLocation;
import dev.veridex.queue.Queue;
import java.util.List;

/// The queues of a bucket of documents.
public final class DocumentQueues {
  /// What was received.
  public static final String MAIN = "main";

  /// What is sent anew.
  public static final String EMERGENCY = "emergency";

  /// What could not be sent and is tried again.
  public static final String FAILED = "failed";

  /// What was tried too often, and waits for somebody to look at it.
  public static final String DEAD = "dead";

  /// All of them.
  public static final List<String> NAMES = List.of(MAIN, EMERGENCY, FAILED, DEAD);

  /// Those who send what is in them.
  public static final String INDEXERS = "indexers";

  private DocumentQueues() {}

  public static Queue main(BucketLocation location) {
    return new Queue(location, MAIN);
  }
}
