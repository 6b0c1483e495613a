/// Serializable transactions for engines with snapshots: a transaction remembers what it read and
/// what it will write, and at commit its reads are checked against what others wrote since its
/// snapshot.
@NullMarked
package dev.veridex.store.optimistic;

import org.jspecify.annotations.NullMarked;
