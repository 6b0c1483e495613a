package dev.veridex;

import dev.veridex.access.AccessIntegrity;
import dev.veridex.buckets.ContentIntegrity;
import dev.veridex.cli.client.ExitCode;
import dev.veridex.cli.output.Terminal;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.TokenIntegrity;
import dev.veridex.json.JsonText;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.StoreInspection;
import dev.veridex.tenancy.IncarnationRecords;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Integrity scans of a store that no process has open.
final class OfflineVerifier {
  private OfflineVerifier() {}

  /// @param given the folder of a store, of a backup, or the data folder of a server
  static int run(Path given, boolean json, Terminal terminal) {
    Path below = given.resolve("store");
    Path folder = StoreInspection.isStore(below) ? below : given;
    if (!StoreInspection.isStore(folder)) {
      terminal.err().println(terminal.red("veridex: ") + "no store in " + given);
      return ExitCode.USAGE;
    }
    List<String> drift = new ArrayList<>();
    try {
      terminal.progress("reading …");
      StoreInspection found =
          StoreInspection.of(
              folder,
              RocksSettings.DEFAULT,
              InstantSource.system().instant(),
              records -> terminal.progress("reading: %,d records".formatted(records)),
              reader -> {
                drift.addAll(TokenIntegrity.run(reader, _ -> {}).drift());
                drift.addAll(
                    ContentIntegrity.run(reader, Domain.contents(Domain.itemVersions()), _ -> {})
                        .drift());
                drift.addAll(
                    AccessIntegrity.run(reader, new IncarnationRecords(), _ -> {}).drift());
              });
      terminal.endProgress();
      terminal.out().println(json ? json(folder, found, drift) : text(folder, found));
      drift.forEach(each -> terminal.err().println(terminal.red("drift: ") + each));
      return drift.isEmpty() ? ExitCode.OK : ExitCode.NO;
    } catch (VeridexException e) {
      terminal.endProgress();
      terminal.err().println(terminal.red("veridex: ") + e.getMessage());
      boolean cannotTell = e.code() == ErrorCode.STORE_LOCKED || e.code() == ErrorCode.UNAVAILABLE;
      return cannotTell ? ExitCode.FAILURE : ExitCode.NO;
    }
  }

  private static String text(Path folder, StoreInspection found) {
    return "the files of %s are whole: %,d commits, %,d records (%,d of them expired), %,d bytes"
        .formatted(folder, found.commits(), found.records(), found.expired(), found.bytes());
  }

  private static String json(Path folder, StoreInspection found, List<String> drift) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object
        .put("ok", drift.isEmpty())
        .put("folder", folder.toString())
        .put("commits", found.commits())
        .put("records", found.records())
        .put("expired", found.expired())
        .put("bytes", found.bytes());
    ArrayNode differences = object.putArray("drift");
    drift.forEach(differences::add);
    return new String(JsonText.write(object), StandardCharsets.UTF_8);
  }
}
