package dev.veridex.store;

import dev.veridex.common.Revision;
import org.jspecify.annotations.Nullable;

/// What a transaction returned, and the revision from which on its effect is visible.
///
/// @param revision of its own commit; if it wrote nothing, of the state it read
public record CommitResult<T extends @Nullable Object>(T result, Revision revision) {}
