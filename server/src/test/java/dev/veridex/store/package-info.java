@NullMarked
package dev.veridex.store;

import org.jspecify.annotations.NullMarked;
