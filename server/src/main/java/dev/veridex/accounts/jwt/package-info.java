/// Callers that bring a JSON Web Token of an issuer we trust instead of a token of ours.
@NullMarked
package dev.veridex.accounts.jwt;

import org.jspecify.annotations.NullMarked;
