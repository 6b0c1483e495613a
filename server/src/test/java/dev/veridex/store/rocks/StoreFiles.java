package dev.veridex.store.rocks;

import dev.veridex.common.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;

/// Puts the folder of a store into states that are otherwise hard to meet.
public final class StoreFiles {
  private StoreFiles() {}

  /// As a process leaves it that is killed between making the folder and making the database.
  public static void asWhileCreating(Path folder) throws IOException {
    StoreFile.read(folder).withState(StoreFile.State.CREATING).write(folder);
    DurableFiles.deleteTree(folder.resolve("db"));
  }
}
