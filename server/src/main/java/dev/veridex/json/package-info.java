/// JSON text: read strictly, written compactly.
@NullMarked
package dev.veridex.json;

import org.jspecify.annotations.NullMarked;
