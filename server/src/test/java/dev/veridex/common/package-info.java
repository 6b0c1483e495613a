@NullMarked
package dev.veridex.common;

import org.jspecify.annotations.NullMarked;
