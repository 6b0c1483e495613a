/// Tests of the routes of catalogues.
@NullMarked
package dev.veridex.http.routes.objects;

import org.jspecify.annotations.NullMarked;
