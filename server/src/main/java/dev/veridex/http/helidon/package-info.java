/// The network side: HTTP/1.1 by Helidon's WebServer, and what it lacks against hostile clients.
@NullMarked
package dev.veridex.http.helidon;

import org.jspecify.annotations.NullMarked;
