/// Items in the store itself.
@NullMarked
package dev.veridex.items.local;

import org.jspecify.annotations.NullMarked;
