/// Routes for accounts, buckets, tokens and the operation of the server.
@NullMarked
package dev.veridex.http.routes.admin;

import org.jspecify.annotations.NullMarked;
