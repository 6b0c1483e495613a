package dev.veridex.access;

import dev.veridex.common.Revision;

/// Something as it was at a revision.
public record Revisioned<T>(T value, Revision revision) {}
