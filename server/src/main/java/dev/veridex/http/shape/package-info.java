/// Shapes of requests and answers: declared once, used to read them, to write them and to describe
/// them.
@NullMarked
package dev.veridex.http.shape;

import org.jspecify.annotations.NullMarked;
