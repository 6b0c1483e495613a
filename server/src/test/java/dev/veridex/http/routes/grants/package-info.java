/// Tests of the routes of approvals, relationships and scopes.
@NullMarked
package dev.veridex.http.routes.grants;

import org.jspecify.annotations.NullMarked;
