/// Documents: read, checked for integrity, and put together from their parts.
@NullMarked
package dev.veridex.documents;

import org.jspecify.annotations.NullMarked;
