@NullMarked
package dev.veridex.metrics;

import org.jspecify.annotations.NullMarked;
