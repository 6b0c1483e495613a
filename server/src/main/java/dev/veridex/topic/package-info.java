/// Topics: where what is to be indexed is published, for anybody who reads.
@org.jspecify.annotations.NullMarked
package dev.veridex.topic;
