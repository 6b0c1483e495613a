/// The access index: permission statements come in, and it says which rights a subject has on a
/// resource, and why.
@NullMarked
package dev.veridex.access;

import org.jspecify.annotations.NullMarked;
