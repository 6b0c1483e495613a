/// Search: keeps the indexes of all buckets up to date, and answers questions from them.
@org.jspecify.annotations.NullMarked
package dev.veridex.search;
