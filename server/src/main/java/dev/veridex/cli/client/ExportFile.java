package dev.veridex.cli.client;

import dev.veridex.common.VeridexException;
import dev.veridex.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The lines of a file that holds an account. The first says what it is, the last that it is whole.
///
/// | kind | members |
/// |---|---|
/// | `export` | `version`, `account`, `createdAt` of the account, `server` |
/// | `account` | `settings` |
/// | `environment` | `name` |
/// | `service` | `env`, `id`, `description` |
/// | `bucket` | `env`, `name`, `settings` |
/// | `item` | `env`, `bucket`, `key`, `contentType`, `headers`, `expiresAt`, `value` in base64 |
/// | `mark` | `env`, `bucket`, `cursor`, `items`: up to here it is whole |
/// | `end` | `items` |
public final class ExportFile {
  public static final int VERSION = 1;

  private static final int AT_ONCE = 16;
  private static final long BYTES_AT_ONCE = 16L << 20;

  private ExportFile() {}

  static ObjectNode line(String kind) {
    return JsonNodeFactory.instance.objectNode().put("kind", kind);
  }

  public static JsonNode read(String line) {
    try {
      return JsonText.read(line.getBytes(StandardCharsets.UTF_8));
    } catch (VeridexException e) {
      throw new CommandFailure(ExitCode.USAGE, "a line of the file is not JSON");
    }
  }

  /// The environment of a line.
  static Optional<String> env(JsonNode line) {
    return Optional.ofNullable(line.get("env")).map(JsonNode::asString);
  }

  static ObjectNode in(Optional<String> env, ObjectNode line) {
    env.ifPresent(name -> line.put("env", name));
    return line;
  }

  /// A task and the memory that it takes.
  record Work<T>(long bytes, Callable<T> call) {}

  /// Does several things at once, no more than there is room for, and hands on what comes of them
  /// in their order, as soon as it is there.
  static <T> void inOrder(List<Work<T>> work, Consumer<T> use) {
    Deque<Future<T>> started = new ArrayDeque<>();
    Deque<Long> sizes = new ArrayDeque<>();
    long bytes = 0;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Work<T> each : work) {
        while (!started.isEmpty()
            && (started.size() >= AT_ONCE || bytes + each.bytes > BYTES_AT_ONCE)) {
          use.accept(started.removeFirst().get());
          bytes -= sizes.removeFirst();
        }
        started.addLast(threads.submit(each.call));
        sizes.addLast(each.bytes);
        bytes += each.bytes;
      }
      while (!started.isEmpty()) {
        use.accept(started.removeFirst().get());
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CommandFailure failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.FAILURE, "interrupted");
    }
  }
}
