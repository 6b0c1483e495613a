@NullMarked
package dev.veridex.http;

import org.jspecify.annotations.NullMarked;
