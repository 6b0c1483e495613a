/// Routes for queues.
@NullMarked
package dev.veridex.http.routes.queues;

import org.jspecify.annotations.NullMarked;
