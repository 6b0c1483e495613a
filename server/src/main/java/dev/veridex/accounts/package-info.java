/// Who may come in and what they did: tokens and the audit log.
@NullMarked
package dev.veridex.accounts;

import org.jspecify.annotations.NullMarked;
