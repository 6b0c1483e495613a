/// Jobs: long work in steps that may be stopped between any two, by whoever does it, and go on.
@NullMarked
package dev.veridex.jobs;

import org.jspecify.annotations.NullMarked;
