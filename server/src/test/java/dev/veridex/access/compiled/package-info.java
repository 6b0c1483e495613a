/// Tests of what is in memory.
@NullMarked
package dev.veridex.access.compiled;

import org.jspecify.annotations.NullMarked;
