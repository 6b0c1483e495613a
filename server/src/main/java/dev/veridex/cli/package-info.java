/// The command line: reads arguments, talks HTTP to a server, prints for people or for programs.
@NullMarked
package dev.veridex.cli;

import org.jspecify.annotations.NullMarked;
