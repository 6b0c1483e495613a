/// The topic port: partitioned logs of the index messages of each generation.
@org.jspecify.annotations.NullMarked
package dev.veridex.topic;
