/// Items: opaque values with revisions, headers and a life, by key.
@NullMarked
package dev.veridex.items;

import org.jspecify.annotations.NullMarked;
