package dev.veridex.documents;

import dev.veridex.buckets.DataPlace;
import dev.veridex.queue.Queue;
import java.util.List;

/// The queues of a bucket of documents.
public final class Queues {
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
  static final String INDEXERS = "indexers";

  private Queues() {}

  static Queue main(DataPlace place) {
    return new Queue(place, MAIN);
  }
}
