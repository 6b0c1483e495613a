package dev.veridex.objects.catalogue;

import dev.veridex.common.KeyReader;
import dev.veridex.objects.event.EventReason;
import dev.veridex.store.Reader;

/// A count of current objects, or of their bytes.
public record ObjectCount(
    String bucket, String storageClass, EventReason reason, boolean bytes, long sum) {
  static ObjectCount read(Reader.Counter counter, int skipped) {
    KeyReader in = new KeyReader(counter.key(), skipped);
    return new ObjectCount(
        in.string(),
        in.string(),
        EventReason.of(in.octet()).orElseThrow(),
        in.octet() == 1,
        counter.sum());
  }
}
