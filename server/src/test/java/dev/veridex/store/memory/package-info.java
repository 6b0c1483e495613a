@NullMarked
package dev.veridex.store.memory;

import org.jspecify.annotations.NullMarked;
