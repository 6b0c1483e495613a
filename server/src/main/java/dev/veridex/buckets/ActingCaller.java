package dev.veridex.buckets;

import dev.veridex.identity.Caller;
import java.util.Optional;

/// A caller, and the subject on whose behalf it acts.
///
/// @param as the subject on whose behalf, if the caller names one
public record ActingCaller(Caller caller, Optional<String> as) {}
