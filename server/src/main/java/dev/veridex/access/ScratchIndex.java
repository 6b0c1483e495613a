package dev.veridex.access;

import dev.veridex.access.check.AccessIndexView;
import dev.veridex.access.check.Check;
import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.Explainer;
import dev.veridex.access.check.Trace;
import dev.veridex.access.check.Verdict;
import dev.veridex.access.ledger.AccessIndexLocator;
import dev.veridex.access.ledger.AccessIndexReader;
import dev.veridex.access.ledger.AccessIndexWriter;
import dev.veridex.access.ledger.MemoryRecords;
import dev.veridex.access.statement.MessageInput;
import java.time.Instant;

/// An access index that is in memory alone, to try statements out where there is no server.
public final class ScratchIndex {
  private final MemoryRecords records = AccessIndexLocator.bootstrap();

  /// States something.
  public AccessIndex.Result put(MessageInput input) {
    AccessIndexWriter writer = new AccessIndexWriter(records);
    AccessIndex.Result result = AccessIndex.apply(writer, input);
    writer.finish();
    return result;
  }

  /// The answer to a question, and why.
  public Trace explain(CheckRequest question) {
    AccessIndexReader index = new AccessIndexReader(records);
    Verdict verdict = Check.of(new AccessIndexView(index, Instant.EPOCH), question);
    return Explainer.of(index, verdict, Instant.EPOCH);
  }
}
