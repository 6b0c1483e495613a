/// Documents: read, and checked for integrity.
@NullMarked
package dev.veridex.documents;

import org.jspecify.annotations.NullMarked;
