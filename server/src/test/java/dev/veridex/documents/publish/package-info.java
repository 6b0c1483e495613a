@org.jspecify.annotations.NullMarked
package dev.veridex.documents.publish;
