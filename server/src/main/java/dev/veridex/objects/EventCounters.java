package dev.veridex.objects;

import dev.veridex.objects.catalogue.EventResult;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// Counters of what became of records since the start.
///
/// @param skipped did not concern a catalogue: test events, unknown names
public record EventCounters(
    LongAdder ingested, LongAdder duplicate, LongAdder skipped, LongAdder rejected) {
  EventCounters() {
    this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
  }

  void add(List<EventResult> results) {
    for (EventResult result : results) {
      switch (result) {
        case EventResult.Ingested _ -> ingested.increment();
        case EventResult.Duplicate _ -> duplicate.increment();
        case EventResult.Skipped _ -> skipped.increment();
        case EventResult.Rejected _ -> rejected.increment();
      }
    }
  }
}
