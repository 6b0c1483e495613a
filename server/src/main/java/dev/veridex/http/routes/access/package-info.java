/// Routes of the access index: statements, checks, lists, what-if, changes, AuthZEN.
@NullMarked
package dev.veridex.http.routes.access;

import org.jspecify.annotations.NullMarked;
