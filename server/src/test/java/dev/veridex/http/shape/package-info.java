@NullMarked
package dev.veridex.http.shape;

import org.jspecify.annotations.NullMarked;
