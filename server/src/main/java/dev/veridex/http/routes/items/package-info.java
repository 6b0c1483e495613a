/// Routes for items.
@NullMarked
package dev.veridex.http.routes.items;

import org.jspecify.annotations.NullMarked;
