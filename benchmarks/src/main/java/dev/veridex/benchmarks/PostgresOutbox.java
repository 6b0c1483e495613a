package dev.veridex.benchmarks;

import dev.veridex.benchmarks.DocumentContest.Contender;
import dev.veridex.common.CityHash64;
import dev.veridex.protocol.RawDocument;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/// PostgreSQL doing what our receiver does: it keeps a document if it is newer than what is known,
/// and notes in the same transaction that it is to be sent.
///
/// A process of its own, over loopback, that syncs every commit.
final class PostgresOutbox implements AutoCloseable {
  /// Why there is none. It is told to the reader, who may not need it.
  static final class CannotStart extends RuntimeException {
    CannotStart(Throwable cause) {
      super(cause);
    }
  }

  private static final List<String> TABLES =
      List.of(
          """
          CREATE TABLE registry (
            hash bigint NOT NULL,
            pk text COLLATE "C" NOT NULL,
            epoch bigint NOT NULL,
            version bigint NOT NULL,
            modify_timestamp bigint NOT NULL,
            status smallint NOT NULL,
            ttl bigint,
            content_hash bytea NOT NULL,
            document bytea,
            PRIMARY KEY (hash, pk, epoch))""",
          // Whoever sends reads a shard in the order of its numbers.
          """
          CREATE TABLE outbox (
            shard int NOT NULL,
            idx bigserial,
            pk text COLLATE "C" NOT NULL,
            epoch bigint NOT NULL,
            version bigint NOT NULL,
            modify_timestamp bigint NOT NULL,
            PRIMARY KEY (shard, idx))""");

  /// One statement, so that it takes one way there and back; both tables are written or neither.
  private static final String RECEIVE =
      """
      WITH written AS (
        INSERT INTO registry AS known (
          hash, pk, epoch, version, modify_timestamp, status, ttl, content_hash, document)
        %s
        ON CONFLICT (hash, pk, epoch) DO UPDATE SET
          version = excluded.version,
          modify_timestamp = excluded.modify_timestamp,
          status = excluded.status,
          ttl = excluded.ttl,
          content_hash = excluded.content_hash,
          document = excluded.document
        WHERE (excluded.epoch, excluded.version, excluded.modify_timestamp)
            > (known.epoch, known.version, known.modify_timestamp)
        RETURNING hash, pk, epoch, version, modify_timestamp)
      INSERT INTO outbox (shard, pk, epoch, version, modify_timestamp)
      SELECT (hash & 3)::int, pk, epoch, version, modify_timestamp FROM written""";

  private static final String ONE = RECEIVE.formatted("VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  private static final String MANY =
      RECEIVE.formatted(
          """
          SELECT * FROM unnest(
            ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::smallint[],
            ?::bigint[], ?::bytea[], ?::bytea[])""");

  private static final short ALIVE = 0;

  private final Path folder;
  private final EmbeddedPostgres postgres;

  private PostgresOutbox(Path folder, EmbeddedPostgres postgres) {
    this.folder = folder;
    this.postgres = postgres;
  }

  /// @throws CannotStart if there is none for this machine, or it does not start for this user
  static PostgresOutbox start() {
    Path folder = Data.folder();
    try {
      return new PostgresOutbox(
          folder,
          EmbeddedPostgres.builder()
              .setOverrideWorkingDirectory(folder.toFile())
              .setDataDirectory(folder.resolve("data"))
              .setServerConfig("fsync", "on")
              // The library turns it off.
              .setServerConfig("synchronous_commit", "on")
              .setServerConfig("shared_buffers", "1GB")
              .start());
    } catch (IOException | RuntimeException | LinkageError e) {
      Data.delete(folder);
      throw new CannotStart(e);
    }
  }

  /// What it is, and what it promises.
  String settings() {
    StringBuilder settings = new StringBuilder();
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      for (String name :
          List.of(
              "server_version",
              "fsync",
              "synchronous_commit",
              "full_page_writes",
              "shared_buffers",
              "max_wal_size")) {
        try (ResultSet result = statement.executeQuery("SHOW " + name)) {
          result.next();
          settings.append(name).append(' ').append(result.getString(1)).append(", ");
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    settings.setLength(settings.length() - 2);
    return settings.toString();
  }

  /// Begins anew.
  void empty() {
    try (Connection connection = connection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS registry, outbox");
      for (String table : TABLES) {
        statement.execute(table);
      }
      statement.execute("CHECKPOINT");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Connection connection() throws SQLException {
    return postgres.getPostgresDatabase().getConnection();
  }

  /// @param documents in a transaction
  /// @param arrays whether they are sent as one statement with arrays, or one after the other
  ///   without waiting in between
  Contender contender(int documents, boolean arrays) {
    String name =
        documents == 1 ? "PostgreSQL" : arrays ? "PostgreSQL, arrays" : "PostgreSQL, JDBC batch";
    return new Contender(
        name,
        (workers, round) -> {
          List<Client> clients = new ArrayList<>();
          Driver.Result result =
              Driver.drive(
                  workers,
                  round,
                  _ -> {
                    Client client = new Client(documents, arrays);
                    clients.add(client);
                    return client;
                  },
                  false);
          clients.forEach(Client::close);
          return DocumentContest.times(documents, result);
        },
        Optional.empty());
  }

  /// A connection that sends documents.
  private final class Client implements LongConsumer {
    private final int documents;
    private final boolean arrays;
    private final Connection connection;
    private final PreparedStatement statement;
    private final MessageDigest digest;

    private Client(int documents, boolean arrays) {
      this.documents = documents;
      this.arrays = arrays;
      try {
        connection = connection();
        connection.setAutoCommit(documents == 1 || arrays);
        statement = connection.prepareStatement(arrays ? MANY : ONE);
        digest = MessageDigest.getInstance("SHA-256");
      } catch (SQLException | NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void accept(long ignored) {
      long first = DocumentData.take(documents);
      try {
        int written = arrays ? many(first) : documents == 1 ? one(first) : batch(first);
        if (written != documents) {
          throw new IllegalStateException(written + " of " + documents + " were written");
        }
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    private int one(long n) throws SQLException {
      set(DocumentData.message(n));
      return statement.executeUpdate();
    }

    private int batch(long first) throws SQLException {
      for (long n = first; n < first + documents; n++) {
        set(DocumentData.message(n));
        statement.addBatch();
      }
      int written = Arrays.stream(statement.executeBatch()).sum();
      connection.commit();
      return written;
    }

    private void set(RawDocument document) throws SQLException {
      byte[] bytes = document.toByteArray();
      statement.setLong(1, CityHash64.of(document.getPk()));
      statement.setString(2, document.getPk());
      statement.setLong(3, document.getEpoch());
      statement.setLong(4, document.getVersion());
      statement.setLong(5, DocumentData.modifiedMicros());
      statement.setShort(6, ALIVE);
      statement.setNull(7, Types.BIGINT);
      statement.setBytes(8, hash(bytes));
      statement.setBytes(9, bytes);
    }

    private byte[] hash(byte[] bytes) {
      return Arrays.copyOf(digest.digest(bytes), 16);
    }

    private int many(long first) throws SQLException {
      Long[] hashes = new Long[documents];
      String[] pks = new String[documents];
      Long[] epochs = new Long[documents];
      Long[] versions = new Long[documents];
      Long[] modified = new Long[documents];
      Short[] statuses = new Short[documents];
      byte[][] contents = new byte[documents][];
      byte[][] bodies = new byte[documents][];
      for (int i = 0; i < documents; i++) {
        RawDocument document = DocumentData.message(first + i);
        pks[i] = document.getPk();
        hashes[i] = CityHash64.of(pks[i]);
        epochs[i] = document.getEpoch();
        versions[i] = document.getVersion();
        modified[i] = DocumentData.modifiedMicros();
        statuses[i] = ALIVE;
        bodies[i] = document.toByteArray();
        contents[i] = hash(bodies[i]);
      }
      statement.setArray(1, connection.createArrayOf("bigint", hashes));
      statement.setArray(2, connection.createArrayOf("text", pks));
      statement.setArray(3, connection.createArrayOf("bigint", epochs));
      statement.setArray(4, connection.createArrayOf("bigint", versions));
      statement.setArray(5, connection.createArrayOf("bigint", modified));
      statement.setArray(6, connection.createArrayOf("smallint", statuses));
      statement.setArray(7, connection.createArrayOf("bigint", new Long[documents]));
      statement.setArray(8, connection.createArrayOf("bytea", contents));
      statement.setArray(9, connection.createArrayOf("bytea", bodies));
      return statement.executeUpdate();
    }

    private void close() {
      try {
        connection.close();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    try {
      postgres.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Data.delete(folder);
    }
  }
}
