/// Events of object stores: their shapes, and what each of them says.
@NullMarked
package dev.veridex.objects.event;

import org.jspecify.annotations.NullMarked;
