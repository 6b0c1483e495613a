/// Stored records of accounts and what is in them: their JSON, their pages, their incarnations, and
/// the HTTP conditions under which they change.
@NullMarked
package dev.veridex.records;

import org.jspecify.annotations.NullMarked;
