@NullMarked
package dev.veridex.settings;

import org.jspecify.annotations.NullMarked;
