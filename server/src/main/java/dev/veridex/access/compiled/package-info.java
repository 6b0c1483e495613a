/// An access index in memory, as arrays of numbers: checks and lists without lock or disk. It knows
/// nothing of stores and individuals.
@NullMarked
package dev.veridex.access.compiled;

import org.jspecify.annotations.NullMarked;
