package dev.veridex.buckets;

import dev.veridex.accounts.Caller;
import java.util.Optional;

/// Who asks for items.
///
/// @param as the subject on whose behalf, if the caller names one
public record Asking(Caller caller, Optional<String> as) {}
