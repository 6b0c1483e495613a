/// Receives documents: parses, validates and compares them, and writes the newest to the registry.
@NullMarked
package dev.veridex.documents.receive;

import org.jspecify.annotations.NullMarked;
