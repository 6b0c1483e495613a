/// Queues: sharded logs in the store, read by groups that know how far they have come.
@org.jspecify.annotations.NullMarked
package dev.veridex.queue;
