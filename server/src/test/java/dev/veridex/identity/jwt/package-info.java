@NullMarked
package dev.veridex.identity.jwt;

import org.jspecify.annotations.NullMarked;
