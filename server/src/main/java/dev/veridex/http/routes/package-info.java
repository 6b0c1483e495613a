/// Parts that the routes of all subjects share: write receipts, pages, bulk streams, event streams,
/// long-running work.
@NullMarked
package dev.veridex.http.routes;

import org.jspecify.annotations.NullMarked;
