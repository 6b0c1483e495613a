package dev.veridex.http.helidon;

import dev.veridex.common.Agent;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// All open connections, watched for slow clients. Helidon limits how large a request may be, not
/// how long a client may take for it: one byte a minute would keep a connection open for ever. So
/// the reader of each connection is wrapped, and a loop runs this as an [Agent] that closes the
/// overdue ones.
final class Connections implements ServerConnectionSelector, Agent {
  /// The connection that the current thread serves.
  static final ScopedValue<Connection> CURRENT = ScopedValue.newInstance();

  private final ServerConnectionSelector http;
  private final Timeouts timeouts;
  private final LongSupplier nanoTime;
  private final AtomicLong buffered = new AtomicLong();
  private final Set<Connection> open = ConcurrentHashMap.newKeySet();

  Connections(ServerConnectionSelector http, Timeouts timeouts, LongSupplier nanoTime) {
    this.http = http;
    this.timeouts = timeouts;
    this.nanoTime = nanoTime;
  }

  /// Closes every connection whose client takes too long.
  @Override
  public boolean runOnce() {
    boolean any = false;
    for (Connection connection : open) {
      any |= connection.overdue();
    }
    return any;
  }

  /// The bytes that readers hold.
  long buffered() {
    return buffered.get();
  }

  int count() {
    return open.size();
  }

  @Override
  public int bytesToIdentifyConnection() {
    return http.bytesToIdentifyConnection();
  }

  @Override
  public Support supports(BufferData data) {
    return http.supports(data);
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return http.supportedApplicationProtocols();
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    Connection connection = new Connection(context, timeouts, nanoTime, buffered);
    ServerConnection served = http.connection(new TimedContext(context, connection.reader()));
    return new TrackedConnection(connection, served);
  }

  private final class TrackedConnection implements ServerConnection {
    private final Connection connection;
    private final ServerConnection served;

    private TrackedConnection(Connection connection, ServerConnection served) {
      this.connection = connection;
      this.served = served;
    }

    @Override
    public void handle(Limit limit) throws InterruptedException {
      open.add(connection);
      try {
        ScopedValue.where(CURRENT, connection)
            .<Void, InterruptedException>call(
                () -> {
                  served.handle(limit);
                  return null;
                });
      } finally {
        try {
          connection.linger();
        } finally {
          open.remove(connection);
        }
      }
    }

    @Override
    public Duration idleTime() {
      return served.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
      served.close(interrupt);
    }
  }

  /// The connection as Helidon made it, but for its reader.
  private record TimedContext(ConnectionContext original, DataReader dataReader)
      implements ConnectionContext {
    @Override
    public ListenerContext listenerContext() {
      return original.listenerContext();
    }

    @Override
    public ExecutorService executor() {
      return original.executor();
    }

    @Override
    public DataWriter dataWriter() {
      return original.dataWriter();
    }

    @Override
    public Router router() {
      return original.router();
    }

    @Override
    public Optional<ProxyProtocolData> proxyProtocolData() {
      return original.proxyProtocolData();
    }

    @Override
    public HelidonSocket serverSocket() {
      return original.serverSocket();
    }

    @Override
    public PeerInfo remotePeer() {
      return original.remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
      return original.localPeer();
    }

    @Override
    public boolean isSecure() {
      return original.isSecure();
    }

    @Override
    public String socketId() {
      return original.socketId();
    }

    @Override
    public String childSocketId() {
      return original.childSocketId();
    }
  }
}
