/// An access index in memory, as arrays of numbers: what makes a check fast enough to sit inside a
/// search. It knows nothing of stores and individuals.
@NullMarked
package dev.veridex.access.compiled;

import org.jspecify.annotations.NullMarked;
