/// Operations on a running server: backups.
@NullMarked
package dev.veridex.operations;

import org.jspecify.annotations.NullMarked;
