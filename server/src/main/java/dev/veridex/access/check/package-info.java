/// The check: which rights a subject has on a resource, and the trace that explains it.
@NullMarked
package dev.veridex.access.check;

import org.jspecify.annotations.NullMarked;
