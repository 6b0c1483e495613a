package dev.veridex.benchmarks.opensearch;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.transport.Netty4ModulePlugin;

/// OpenSearch alone on this machine, until it is told to stop.
final class OpenSearchNode extends Node {
  private OpenSearchNode(Settings settings) {
    super(
        InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "benchmark"),
        List.of(
            new PluginInfo(
                "transport-netty4",
                "HTTP",
                "",
                Version.CURRENT,
                "25",
                Netty4ModulePlugin.class.getName(),
                "",
                List.of(),
                false)),
        true);
  }

  /// @param arguments its folder and its port
  static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    Node node =
        new OpenSearchNode(
            Settings.builder()
                .put("path.home", folder)
                .put("path.data", folder.resolve("data"))
                .put("path.logs", folder.resolve("logs"))
                .put("cluster.name", "benchmark")
                .put("discovery.type", "single-node")
                .put("network.host", "127.0.0.1")
                .put("http.type", "netty4")
                .put("http.port", arguments[1])
                .put("transport.type", "netty4")
                .put("transport.port", "0")
                // The disk of this machine may be fuller than it likes.
                .put("cluster.routing.allocation.disk.threshold_enabled", false)
                .build());
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .unstarted(
                    () -> {
                      try {
                        node.close();
                      } catch (java.io.IOException e) {
                        throw new java.io.UncheckedIOException(e);
                      }
                    }));
    node.start();
    new CountDownLatch(1).await();
  }
}
