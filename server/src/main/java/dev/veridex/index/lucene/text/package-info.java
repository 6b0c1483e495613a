/// Parts of texts for Lucene: how they are taken apart, and how a pattern is compared with them.
@NullMarked
package dev.veridex.index.lucene.text;

import org.jspecify.annotations.NullMarked;
