package dev.veridex.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.ServerFixture;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whoever may not do something hears it before the body: nobody has to wait for it, or keep it.
final class EarlyRefusalTest {
  @TempDir private Path data;

  @Test
  void aBodyIsNotWaitedFor() throws IOException {
    try (ServerFixture fixture = new ServerFixture(data)) {
      fixture.arrange();
      String user = fixture.person("tenant:acme", "ada");
      String pages = "/v1/accounts/acme/buckets/pages";
      for (String request :
          List.of(
              "PUT " + pages,
              "PUT " + pages + "/items/a",
              "POST " + pages + "/upgrade",
              "PUT /v1/accounts/none/buckets/x")) {
        assertThat(status(fixture, request, Optional.empty())).as(request).isEqualTo("401");
        assertThat(status(fixture, request, Optional.of(user))).as(request).isIn("403", "404");
      }
    }
  }

  /// Sends a head that announces a body, and none.
  private static String status(ServerFixture fixture, String request, Optional<String> secret)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
      String token = secret.map(text -> "Authorization: Bearer " + text + "\r\n").orElse("");
      String head =
          request
              + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
              + token
              + "Content-Length: 8000000\r\n\r\n";
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      BufferedReader answer =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
      return answer.readLine().split(" ", -1)[1];
    }
  }
}
