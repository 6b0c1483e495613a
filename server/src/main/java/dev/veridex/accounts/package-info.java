/// Who there is, who may come in and what they did: accounts, tokens and the audit log.
@NullMarked
package dev.veridex.accounts;

import org.jspecify.annotations.NullMarked;
