package dev.veridex.store;

import java.time.Instant;
import java.util.Optional;

/// A stored record.
///
/// @param expiresAt absent: it lives for ever
/// @param expired it is past its life and only still readable because its grace is not over
public record Entry(byte[] key, byte[] value, Optional<Instant> expiresAt, boolean expired) {}
