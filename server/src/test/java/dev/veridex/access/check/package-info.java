@org.jspecify.annotations.NullMarked
package dev.veridex.access.check;
