/// The ledger of individuals, the records derived from it, and how both are stored and read, now
/// and in the past.
@NullMarked
package dev.veridex.access.ledger;

import org.jspecify.annotations.NullMarked;
