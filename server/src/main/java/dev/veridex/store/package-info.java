/// The port to the ordered, transactional, expiring key-value store on which everything rests.
@NullMarked
package dev.veridex.store;

import org.jspecify.annotations.NullMarked;
