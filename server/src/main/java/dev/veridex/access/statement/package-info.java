/// Permission statements: parsed from JSON into individuals and messages, with the rights and index
/// keys that they name.
@NullMarked
package dev.veridex.access.statement;

import org.jspecify.annotations.NullMarked;
