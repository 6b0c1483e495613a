/// Parts that commands share: the client of the API, options, exit codes, sending, export and
/// import.
@NullMarked
package dev.veridex.cli.client;

import org.jspecify.annotations.NullMarked;
