/// Approvals and relationships: rights and relations that are given for a while, by scope, and end
/// by themselves.
@NullMarked
package dev.veridex.grants;

import org.jspecify.annotations.NullMarked;
