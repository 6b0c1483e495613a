package dev.veridex.access;

import dev.veridex.common.Revision;

/// A value as of a revision.
public record AtRevision<T>(T value, Revision revision) {}
