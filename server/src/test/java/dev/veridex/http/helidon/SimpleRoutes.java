package dev.veridex.http.helidon;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.veridex.http.Answer;
import dev.veridex.http.LineStream;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import tools.jackson.databind.node.JsonNodeFactory;

/// Open routes that say what they hear, wait, or answer in pieces.
final class SimpleRoutes {
  private static final Parameter<String> ID = Parameter.path("id", Type.TEXT, "any text");
  private static final Parameter<String> Q = Parameter.query("q", Type.TEXT, "any text");
  private static final Member<String> TEXT = Member.optional("text", Type.TEXT, "any text");
  private static final Member<String> QUERY = Member.optional("q", Type.TEXT, "any text");
  private static final Shape<String> SAID =
      Shape.of(
          "Said",
          List.of(TEXT),
          given -> given.find(TEXT).orElse(""),
          (text, out) -> out.put(TEXT, text));

  private record Echoed(String text, Optional<String> query) {}

  private static final Shape<Echoed> ECHOED =
      Shape.out(
          "Echoed",
          List.of(TEXT, QUERY),
          (echoed, out) -> out.put(TEXT, echoed.text).put(QUERY, echoed.query));

  /// Somebody is in `/wait`.
  final CountDownLatch entered = new CountDownLatch(1);

  /// Lets them out.
  final CountDownLatch leave = new CountDownLatch(1);

  List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.GET, "/echo/{id}", "test.echo", "Says what it hears")
            .needs(new RequiredRight.Open<>())
            .takes(ID, Q)
            .answers(
                Reply.json(200, ECHOED), call -> Answer.of(new Echoed(call.get(ID), call.find(Q)))),
        Route.of(Method.POST, "/echo", "test.say", "Says what it hears")
            .reads(SAID, JsonNodeFactory.instance.objectNode())
            .needs(new RequiredRight.Open<>())
            .answers(Reply.json(200, SAID), call -> Answer.of(call.body())),
        Route.of(Method.GET, "/wait", "test.wait", "Waits")
            .needs(new RequiredRight.Open<>())
            .answers(
                Reply.text("text/plain"),
                _ -> {
                  entered.countDown();
                  await(leave);
                  return Answer.of("done");
                }),
        Route.of(Method.POST, "/each", "test.each", "Says each line when it has come")
            .readsBulk(JsonNodeFactory.instance.objectNode())
            .needs(new RequiredRight.Open<>())
            .answers(
                Reply.progress(SAID),
                call ->
                    Answer.of(new Payload.Streamed(Reply.LINES, out -> each(call.body(), out)))),
        streaming(
            "/lines",
            "test.lines",
            out -> {
              for (int i = 0; i < 1000; i++) {
                out.write("{\"n\":%d}\n".formatted(i).getBytes(UTF_8));
              }
            }),
        streaming(
            "/broken",
            "test.broken",
            out -> {
              out.write(new byte[100_000]);
              throw new IOException("half way");
            }));
  }

  /// The line `wait` is worked on until somebody says that it is done.
  private void each(Route.Inputs inputs, OutputStream out) throws IOException {
    if (inputs instanceof Route.Inputs.Lines(LineStream lines, _)) {
      for (List<byte[]> some = lines.next(); !some.isEmpty(); some = lines.next()) {
        for (byte[] line : some) {
          if (new String(line, UTF_8).equals("wait")) {
            entered.countDown();
            await(leave);
          }
          out.write(line);
          out.write('\n');
        }
        out.flush();
      }
    }
  }

  private static Route<?, ?> streaming(String path, String operation, Payload.Source source) {
    return Route.of(Method.GET, path, operation, "Answers in pieces")
        .needs(new RequiredRight.Open<>())
        .answers(Reply.progress(SAID), _ -> Answer.of(new Payload.Streamed(Reply.LINES, source)));
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
