/// Output for people: the terminal, progress, and traces as trees.
@NullMarked
package dev.veridex.cli.output;

import org.jspecify.annotations.NullMarked;
