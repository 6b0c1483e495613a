/// Counters, gauges and timers, exposed to Prometheus.
@NullMarked
package dev.veridex.metrics;

import org.jspecify.annotations.NullMarked;
