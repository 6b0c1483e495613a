/// The registry: the newest state of every document, with epochs, schemas and bodies.
@NullMarked
package dev.veridex.documents.registry;

import org.jspecify.annotations.NullMarked;
