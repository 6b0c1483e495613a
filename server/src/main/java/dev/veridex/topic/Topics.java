package dev.veridex.topic;

import dev.veridex.common.IndexGeneration;
import java.time.Instant;
import java.util.List;

/// Partitioned logs of messages, each read by any number of groups.
///
/// An implementation must keep these promises; `TopicContract` is their executable form.
///
/// - **Durable.** When [#append] returns, its messages survive the death of the process.
/// - **All or nothing.** The messages of a batch are read together with everything that was there
///   before them, or, if `append` failed, later or never, but in their order.
/// - **Order.** Whoever reads number n of a partition has read, or can read, everything below.
///   Numbers grow and have gaps.
/// - **Once.** A batch that a producer sends again with the same session and sequence is there
///   once. A new session begins anew: then the same messages may be there twice.
/// - **Kept until they are read.** Messages are there until [#trim] takes those away that every
///   group has passed, but no longer than the engine is told to keep them. Whoever comes later has
///   everything published anew.
/// - **Groups are independent.** Each keeps its own position; one that moves does not move another.
///
/// Not promised: that a producer whose session is over cannot append any more. Readers tell by what
/// the messages say which of two is the newer one.
public interface Topics {
  /// The identity of a producer and its sequence.
  ///
  /// @param id the same for all sessions
  /// @param session grows
  /// @param sequence of the batch, grows within a session
  record Producer(String id, long session, long sequence) {}

  /// A message to be sent.
  ///
  /// @param key what it is about
  record Outgoing(String key, byte[] value) {}

  /// A message in its place.
  record Message(long number, String key, byte[] value) {}

  /// Appends messages to a partition.
  ///
  /// @throws dev.veridex.common.VeridexException whose problem is retryable, if the engine cannot
  ///   do it now
  void append(IndexGeneration topic, int partition, Producer producer, List<Outgoing> messages);

  /// The messages that come after a number; 0 stands before the first.
  ///
  /// @param maxBytes of all values; the first one may be larger
  List<Message> read(IndexGeneration topic, int partition, long after, int limit, long maxBytes);

  /// The number of the last message of a partition; 0 if there is none any more.
  long last(IndexGeneration topic, int partition);

  /// The number of the last message that a group is done with; 0 at first.
  long position(IndexGeneration topic, int partition, String group);

  /// Moves a group on, if it is where its reader thinks that it is.
  ///
  /// @return whether it was there
  boolean move(IndexGeneration topic, int partition, String group, long from, long to);

  /// Removes messages that every group has passed and that were appended before a time; none while
  /// there is no group.
  void trim(IndexGeneration topic, int partition, Instant before);
}
