@NullMarked
package dev.veridex.store.optimistic;

import org.jspecify.annotations.NullMarked;
