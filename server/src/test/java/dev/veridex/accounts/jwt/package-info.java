@NullMarked
package dev.veridex.accounts.jwt;

import org.jspecify.annotations.NullMarked;
