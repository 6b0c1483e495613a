@NullMarked
package dev.veridex;

import org.jspecify.annotations.NullMarked;
