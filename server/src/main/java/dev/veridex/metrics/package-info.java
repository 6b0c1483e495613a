/// Counts and times what happens, and tells it to Prometheus.
@NullMarked
package dev.veridex.metrics;

import org.jspecify.annotations.NullMarked;
