package dev.veridex.http;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// An answer that is ready for the network side.
public record Response(int status, Map<String, String> headers, Payload payload) {
  public Response {
    headers = Collections.unmodifiableMap(new TreeMap<>(headers));
  }

  public Response with(String header, String value) {
    Map<String, String> more = new TreeMap<>(headers);
    more.put(header, value);
    return new Response(status, more, payload);
  }
}
