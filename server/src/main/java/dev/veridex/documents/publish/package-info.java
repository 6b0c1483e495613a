/// Publishers: they take documents from the queues and send them to the topic of each index
/// generation.
@NullMarked
package dev.veridex.documents.publish;

import org.jspecify.annotations.NullMarked;
