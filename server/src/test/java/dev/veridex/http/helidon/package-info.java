@NullMarked
package dev.veridex.http.helidon;

import org.jspecify.annotations.NullMarked;
