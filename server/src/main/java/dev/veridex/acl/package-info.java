/// Access control lists of buckets and accounts.
@NullMarked
package dev.veridex.acl;

import org.jspecify.annotations.NullMarked;
