/// The services of the access index: statements go in, checks, lists, what-if, changes and
/// visibility come out.
@NullMarked
package dev.veridex.access;

import org.jspecify.annotations.NullMarked;
