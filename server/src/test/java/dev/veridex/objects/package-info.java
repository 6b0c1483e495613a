/// Tests of catalogues.
@NullMarked
package dev.veridex.objects;

import org.jspecify.annotations.NullMarked;
