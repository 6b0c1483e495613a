package dev.veridex.http.helidon;

import io.helidon.http.Headers;
import io.helidon.http.encoding.ContentDecoder;
import io.helidon.http.encoding.ContentEncoder;
import io.helidon.http.encoding.ContentEncodingContext;
import io.helidon.http.encoding.ContentEncodingContextConfig;

/// Leaves bodies as they are: the gateway unzips them, because it knows how large they may become.
///
/// Without it, Helidon refuses every body that is encoded.
final class IdentityEncoding implements ContentEncodingContext {
  @Override
  public boolean contentEncodingEnabled() {
    return false;
  }

  @Override
  public boolean contentDecodingEnabled() {
    return true;
  }

  @Override
  public boolean contentEncodingSupported(String encodingId) {
    return false;
  }

  @Override
  public boolean contentDecodingSupported(String encodingId) {
    return true;
  }

  @Override
  public ContentEncoder encoder(String encodingId) {
    return ContentEncoder.NO_OP;
  }

  @Override
  public ContentDecoder decoder(String encodingId) {
    return ContentDecoder.NO_OP;
  }

  @Override
  public ContentEncoder encoder(Headers headers) {
    return ContentEncoder.NO_OP;
  }

  @Override
  public ContentEncodingContextConfig prototype() {
    return ContentEncodingContextConfig.create();
  }
}
