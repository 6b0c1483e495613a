/// What an operator asks of a running server: backups, and whether everything is still true.
@NullMarked
package dev.veridex.operations;

import org.jspecify.annotations.NullMarked;
