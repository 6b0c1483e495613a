package dev.veridex.store;

import dev.veridex.common.Revision;
import org.jspecify.annotations.Nullable;

/// The result of a transaction and the revision of its commit.
///
/// @param revision of its own commit; if it wrote nothing, of the state it read
public record CommitResult<T extends @Nullable Object>(T result, Revision revision) {}
