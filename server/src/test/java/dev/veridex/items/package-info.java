/// Tests of items.
@NullMarked
package dev.veridex.items;

import org.jspecify.annotations.NullMarked;
