/// Callers: tokens and how they are minted, and the audit log of what callers did.
@NullMarked
package dev.veridex.identity;

import org.jspecify.annotations.NullMarked;
