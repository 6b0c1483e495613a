/// Accounts, their environments and services, and the deletion of all that they hold.
@NullMarked
package dev.veridex.tenancy;

import org.jspecify.annotations.NullMarked;
