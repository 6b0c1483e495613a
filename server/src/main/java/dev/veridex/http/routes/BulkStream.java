package dev.veridex.http.routes;

import dev.veridex.common.VeridexException;
import dev.veridex.http.Call;
import dev.veridex.http.LineStream;
import dev.veridex.http.Payload;
import dev.veridex.http.Problems;
import dev.veridex.http.Reply;
import dev.veridex.json.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Answers inputs that come one by one with a line for each, while they come.
public final class BulkStream {
  private BulkStream() {}

  /// The results of some inputs, a line each.
  public record Results(List<byte[]> lines, String revision) {}

  /// Once the first result is out, a failure can only be told by a last line.
  ///
  /// @param work takes some inputs, as they arrived; none at first
  public static Payload answer(
      Call<?> call, LineStream lines, Function<List<byte[]>, Results> work) {
    return new Payload.Streamed(Reply.LINES, out -> write(call, lines, work, out));
  }

  private static void write(
      Call<?> call, LineStream lines, Function<List<byte[]>, Results> work, OutputStream out)
      throws IOException {
    ObjectNode last = JsonNodeFactory.instance.objectNode();
    try {
      Results done = work.apply(List.of());
      for (List<byte[]> some = lines.next(); !some.isEmpty(); some = lines.next()) {
        // It may have been going on for hours, and the token have been revoked.
        call.again().run();
        done = work.apply(some);
        for (byte[] line : done.lines) {
          out.write(line);
          out.write('\n');
        }
        out.flush();
      }
      last.put("revision", done.revision);
    } catch (VeridexException e) {
      last.set("problem", Problems.json(e.problem()));
    }
    out.write(JsonText.write(last));
    out.write('\n');
  }
}
