@NullMarked
package dev.veridex.accounts;

import org.jspecify.annotations.NullMarked;
