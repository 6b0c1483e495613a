package dev.veridex.http.routes.admin;

import dev.veridex.http.Answer;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;

/// The page to search with, for people: files of ours, and nothing from elsewhere. All that it
/// knows it asks the API for, with the token that somebody signs in with.
public final class PageRoutes {
  /// Scripts and styles are our own files; nothing else is loaded, nothing else is asked.
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final String FOLDER = "/dev/veridex/http/page/";
  private static final String HTML = "text/html; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";

  public List<Route<?, ?>> routes() {
    return List.of(
        file("/", "index.html", HTML, "The page to search with"),
        file("/page/style.css", "style.css", "text/css; charset=utf-8", "How it looks"),
        file("/page/app.js", "app.js", SCRIPT, "What it does"),
        file("/page/api.js", "api.js", SCRIPT, "What it asks the API"),
        file("/page/dom.js", "dom.js", SCRIPT, "How it shows what others have written"),
        file("/page/why.js", "why.js", SCRIPT, "How it says why"));
  }

  private static Route<?, ?> file(String path, String name, String type, String summary) {
    byte[] bytes = read(name);
    return Route.of(Method.GET, path, "page." + name.replace('.', '-'), summary)
        .needs(new RequiredRight.Open<>())
        .answers(
            Reply.bytes(),
            _ ->
                Answer.<Payload>of(new Payload.Bytes(type, bytes))
                    .with("Content-Security-Policy", POLICY)
                    .with("Referrer-Policy", "no-referrer"));
  }

  private static byte[] read(String name) {
    try (InputStream file = PageRoutes.class.getResourceAsStream(FOLDER + name)) {
      if (file == null) {
        throw new IllegalStateException("the page lacks a file: " + name);
      }
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
