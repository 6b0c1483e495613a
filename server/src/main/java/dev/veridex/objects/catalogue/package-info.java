/// Catalogues: what events say of each object, and which of its versions is current.
@NullMarked
package dev.veridex.objects.catalogue;

import org.jspecify.annotations.NullMarked;
