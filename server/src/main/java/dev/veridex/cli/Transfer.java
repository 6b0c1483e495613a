package dev.veridex.cli;

import dev.veridex.common.VeridexException;
import dev.veridex.http.shape.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The lines of a file that holds an account. The first says what it is, the last that it is whole.
///
/// | kind | members |
/// |---|---|
/// | `export` | `version`, `account` |
/// | `account` | `settings` |
/// | `environment` | `name` |
/// | `service` | `env`, `id`, `description` |
/// | `bucket` | `env`, `name`, `settings` |
/// | `item` | `env`, `bucket`, `key`, `contentType`, `headers`, `expiresAt`, `value` in base64 |
/// | `mark` | `env`, `bucket`, `cursor`, `items`: up to here it is whole |
/// | `end` | `items` |
final class Transfer {
  static final int VERSION = 1;

  private static final int AT_ONCE = 16;

  private Transfer() {}

  static ObjectNode line(String kind) {
    return JsonNodeFactory.instance.objectNode().put("kind", kind);
  }

  static JsonNode read(String line) {
    try {
      return JsonText.read(line.getBytes(StandardCharsets.UTF_8));
    } catch (VeridexException e) {
      throw new CommandFailure(Exit.USAGE, "a line of the file is not JSON");
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

  /// Does several things at once, a few at a time, and answers in their order.
  static <T> List<T> together(List<Callable<T>> work) {
    Semaphore places = new Semaphore(AT_ONCE);
    List<Future<T>> started = new ArrayList<>();
    List<T> done = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Callable<T> each : work) {
        places.acquireUninterruptibly();
        started.add(
            threads.submit(
                () -> {
                  try {
                    return each.call();
                  } finally {
                    places.release();
                  }
                }));
      }
      for (Future<T> each : started) {
        done.add(each.get());
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CommandFailure failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(Exit.FAILURE, "interrupted");
    }
    return done;
  }
}
