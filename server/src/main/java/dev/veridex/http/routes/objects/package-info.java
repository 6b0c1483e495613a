/// Routes of catalogues: events in; objects, their history and what they amount to out.
@NullMarked
package dev.veridex.http.routes.objects;

import org.jspecify.annotations.NullMarked;
