@org.jspecify.annotations.NullMarked
package dev.veridex.json;
