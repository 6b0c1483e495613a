/// Tests of catalogues.
@NullMarked
package dev.veridex.objects.catalogue;

import org.jspecify.annotations.NullMarked;
