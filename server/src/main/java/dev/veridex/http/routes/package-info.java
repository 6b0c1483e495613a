/// The routes of the API, each declared once.
@NullMarked
package dev.veridex.http.routes;

import org.jspecify.annotations.NullMarked;
