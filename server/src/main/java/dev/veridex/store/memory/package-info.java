/// The store in memory: a fake good enough to trust, for tests and for trying things out.
@NullMarked
package dev.veridex.store.memory;

import org.jspecify.annotations.NullMarked;
