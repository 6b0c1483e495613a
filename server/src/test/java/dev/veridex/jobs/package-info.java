/// Tests of jobs.
@NullMarked
package dev.veridex.jobs;

import org.jspecify.annotations.NullMarked;
