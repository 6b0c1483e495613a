@org.jspecify.annotations.NullMarked
package dev.veridex.index.lucene;
