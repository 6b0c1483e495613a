@org.jspecify.annotations.NullMarked
package dev.veridex.http.routes.access;
