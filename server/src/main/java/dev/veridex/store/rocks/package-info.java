/// The embedded store, on RocksDB: one process owns a folder.
@NullMarked
package dev.veridex.store.rocks;

import org.jspecify.annotations.NullMarked;
