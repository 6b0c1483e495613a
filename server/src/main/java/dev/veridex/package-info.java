/// The composition root: reads the settings, calls constructors, starts the server and stops it.
@NullMarked
package dev.veridex;

import org.jspecify.annotations.NullMarked;
