/// The composition root: reads the configuration, calls constructors, starts and stops.
@NullMarked
package dev.veridex;

import org.jspecify.annotations.NullMarked;
