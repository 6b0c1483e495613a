/// Quotas, and the counters that they are checked against.
@NullMarked
package dev.veridex.quota;

import org.jspecify.annotations.NullMarked;
