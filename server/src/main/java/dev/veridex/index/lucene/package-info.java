/// Search indexes with Lucene, each in a folder of its own.
@org.jspecify.annotations.NullMarked
package dev.veridex.index.lucene;
