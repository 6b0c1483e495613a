/// Routes for documents, searches and tails.
@NullMarked
package dev.veridex.http.routes.documents;

import org.jspecify.annotations.NullMarked;
