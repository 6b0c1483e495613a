/// Callers with a JSON Web Token of a trusted issuer.
@NullMarked
package dev.veridex.identity.jwt;

import org.jspecify.annotations.NullMarked;
