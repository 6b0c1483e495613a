/// How much the tests try, what it costs, and the table that says so.
@NullMarked
package dev.veridex.suite;

import org.jspecify.annotations.NullMarked;
