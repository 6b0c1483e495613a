/// The few words every other package speaks: scopes, time to live, revisions, keys, pages, errors.
@NullMarked
package dev.veridex.common;

import org.jspecify.annotations.NullMarked;
