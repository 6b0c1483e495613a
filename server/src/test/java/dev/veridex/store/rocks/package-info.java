@NullMarked
package dev.veridex.store.rocks;

import org.jspecify.annotations.NullMarked;
