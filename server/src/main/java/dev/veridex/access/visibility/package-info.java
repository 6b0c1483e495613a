/// Access classes of resources, and which of them a subject may read: the half of the compiled
/// index that serves searches.
@NullMarked
package dev.veridex.access.visibility;

import org.jspecify.annotations.NullMarked;
