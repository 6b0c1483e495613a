/// What commands share: the client of the API, options, exit codes, and what sends, exports and
/// imports.
@NullMarked
package dev.veridex.cli.client;

import org.jspecify.annotations.NullMarked;
