/// Searches: parsed, run over one bucket or several, trimmed by access, and paged by cursors.
@NullMarked
package dev.veridex.search.query;

import org.jspecify.annotations.NullMarked;
