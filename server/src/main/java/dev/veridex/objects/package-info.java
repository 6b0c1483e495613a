/// Catalogues of object stores: events are received, objects are listed, counted and described.
@NullMarked
package dev.veridex.objects;

import org.jspecify.annotations.NullMarked;
