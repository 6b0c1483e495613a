/// The gateway: takes a request, finds its route, asks who is calling and whether they may, and
/// answers. It knows no HTTP server; see the adapter beside it.
@NullMarked
package dev.veridex.http;

import org.jspecify.annotations.NullMarked;
