package dev.veridex;

import dev.veridex.common.RevisionSeal;
import dev.veridex.http.routes.LongRunningWork;
import dev.veridex.metrics.Metrics;
import dev.veridex.store.rocks.RocksStore;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/// The parts of the server that modules are run with.
///
/// @param operator runs long work of the operator
/// @param stopping whether the server is about to stop
record ServerContext(
    Config config,
    RocksStore store,
    InstantSource clock,
    Metrics metrics,
    LongRunningWork operator,
    BooleanSupplier stopping) {
  RevisionSeal seal() {
    return store.seal();
  }
}
