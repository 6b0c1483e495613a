@org.jspecify.annotations.NullMarked
package dev.veridex.access.statement;
