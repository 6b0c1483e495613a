/// Tests of catalogues.
@NullMarked
package dev.veridex.objects.event;

import org.jspecify.annotations.NullMarked;
