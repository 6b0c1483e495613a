/// Topics in the store, for those who run nothing else.
@org.jspecify.annotations.NullMarked
package dev.veridex.topic.local;
