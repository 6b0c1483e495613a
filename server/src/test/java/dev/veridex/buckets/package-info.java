/// Tests of buckets.
@NullMarked
package dev.veridex.buckets;

import org.jspecify.annotations.NullMarked;
