/// Routes of approvals, relationships, and of scopes as a whole.
@NullMarked
package dev.veridex.http.routes.grants;

import org.jspecify.annotations.NullMarked;
