@NullMarked
package dev.veridex.access;

import org.jspecify.annotations.NullMarked;
