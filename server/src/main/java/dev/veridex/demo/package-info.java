/// A company that is made up, to try things out with.
@org.jspecify.annotations.NullMarked
package dev.veridex.demo;
