/// Buckets: named, typed units of storage, who may use them, and how their type is upgraded.
@NullMarked
package dev.veridex.buckets;

import org.jspecify.annotations.NullMarked;
