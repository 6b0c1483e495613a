/// Documents: received, kept in a registry, and sent on to be indexed.
@org.jspecify.annotations.NullMarked
package dev.veridex.documents;
