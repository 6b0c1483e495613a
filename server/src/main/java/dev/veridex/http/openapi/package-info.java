/// Describes the API from the declarations of its routes: for programs, and for people.
@NullMarked
package dev.veridex.http.openapi;

import org.jspecify.annotations.NullMarked;
