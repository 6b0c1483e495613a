package dev.veridex;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.cli.output.Terminal;
import dev.veridex.store.StoreTesting;
import dev.veridex.store.rocks.RocksSettings;
import dev.veridex.store.rocks.RocksStore;
import dev.veridex.store.rocks.StoreFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir private Path parent;

  private int run(String... arguments) {
    return Main.run(
        List.of(arguments),
        new Terminal(
            new PrintStream(out, true, UTF_8),
            new PrintStream(err, true, UTF_8),
            false,
            Map.of(),
            InstantSource.system()));
  }

  @Test
  void helpNamesTheCommands() {
    assertThat(run()).isZero();
    assertThat(out.toString(UTF_8)).contains("verify", "server", "--version");
  }

  @Test
  void wrongUseIsTold() {
    assertThat(run("dance")).isEqualTo(2);
    assertThat(err.toString(UTF_8)).contains("dance");
    assertThat(run("verify", "--offline")).isEqualTo(2);
    assertThat(run("verify", "--offline", parent.resolve("nowhere").toString())).isEqualTo(2);
    assertThat(parent.resolve("nowhere")).doesNotExist();
  }

  @Test
  void aStoreKilledWhileItWasMadeIsEmptyNotDamaged() throws IOException {
    Path folder = parent.resolve("store");
    InstantSource system = InstantSource.system();
    RocksStore.open(folder, RocksSettings.DEFAULT, system, system, new Random(1)).close();
    StoreFiles.asWhileCreating(folder);
    assertThat(run("verify", "--offline", folder.toString())).isZero();
    assertThat(out.toString(UTF_8)).contains("are whole: 0 commits");
    RocksStore.open(folder, RocksSettings.DEFAULT, system, system, new Random(1)).close();
  }

  @Test
  void verifySaysWhetherAStoreIsWhole() throws IOException {
    Path folder = parent.resolve("store");
    InstantSource system = InstantSource.system();
    try (RocksStore store =
        RocksStore.open(folder, RocksSettings.DEFAULT, system, system, new Random(1))) {
      StoreTesting.put(store, "a", "1");
      StoreTesting.put(store, "b", "2");
    }
    String before = Files.readString(folder.resolve("STORE"));
    assertThat(run("verify", "--offline", folder.toString())).isZero();
    assertThat(out.toString(UTF_8)).contains("are whole: 2 commits, 2 records (0 of them expired)");
    assertThat(Files.readString(folder.resolve("STORE")))
        .as("nothing is changed")
        .isEqualTo(before);
    Files.delete(folder.resolve("db").resolve("CURRENT"));
    assertThat(run("verify", "--offline", folder.toString())).isEqualTo(1);
    assertThat(err.toString(UTF_8)).contains("CORRUPT_STORE", "CURRENT");
  }
}
