/// Tests of approvals and relationships.
@NullMarked
package dev.veridex.grants;

import org.jspecify.annotations.NullMarked;
