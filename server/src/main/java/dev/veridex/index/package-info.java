/// The search index as a port: what can be put into one, what can be asked, what comes back.
@org.jspecify.annotations.NullMarked
package dev.veridex.index;
