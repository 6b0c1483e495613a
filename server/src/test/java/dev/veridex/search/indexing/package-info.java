@org.jspecify.annotations.NullMarked
package dev.veridex.search.indexing;
