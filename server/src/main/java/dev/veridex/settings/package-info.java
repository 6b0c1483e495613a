/// The configuration: a file, the environment and the command line as one set of keys.
@NullMarked
package dev.veridex.settings;

import org.jspecify.annotations.NullMarked;
