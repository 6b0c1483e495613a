package dev.veridex.benchmarks;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.Arrays;
import java.util.List;

/// PostgreSQL doing what the design note's service does with it: a table of rows, a constraint that
/// finds duplicates, and the flag of the current row, which is moved in the same transaction.
///
/// A process of its own, over loopback, that syncs every commit.
final class PostgresObjects implements AutoCloseable {
  private static final List<String> TABLES =
      List.of(
          """
          CREATE TABLE s3_object (
            s3_object_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            event_type text NOT NULL,
            bucket text COLLATE "C" NOT NULL,
            key text COLLATE "C" NOT NULL,
            version_id text COLLATE "C" NOT NULL,
            event_time timestamptz,
            size bigint,
            e_tag text,
            storage_class text,
            sequencer text COLLATE "C" NOT NULL,
            is_delete_marker boolean NOT NULL,
            reason text NOT NULL,
            is_current_state boolean NOT NULL,
            number_duplicate_events bigint NOT NULL DEFAULT 0,
            attributes jsonb,
            CONSTRAINT sequencer_unique
              UNIQUE (bucket, key, version_id, event_type, sequencer))""",
          "CREATE INDEX current_state ON s3_object (bucket, key) WHERE is_current_state");

  private static final String INSERT =
      """
      INSERT INTO s3_object (
        event_type, bucket, key, version_id, event_time, size, e_tag, sequencer,
        is_delete_marker, reason, is_current_state)
      SELECT *, true FROM unnest(
        ?::text[], ?::text[], ?::text[], ?::text[], ?::timestamptz[], ?::bigint[], ?::text[],
        ?::text[], ?::boolean[], ?::text[])
      ON CONFLICT ON CONSTRAINT sequencer_unique DO UPDATE
        SET number_duplicate_events = s3_object.number_duplicate_events + 1""";

  /// Only rows that are current have to be looked at: the others of a key cannot become so.
  private static final String CURRENT =
      """
      UPDATE s3_object SET is_current_state = false
      FROM (
        SELECT s3_object_id, row_number() OVER (
          PARTITION BY bucket, key ORDER BY sequencer DESC, event_type DESC) AS rank
        FROM s3_object
        WHERE is_current_state
          AND (bucket, key) IN (SELECT * FROM unnest(?::text[], ?::text[]))) ranked
      WHERE ranked.s3_object_id = s3_object.s3_object_id AND ranked.rank > 1""";

  private final Path folder;
  private final EmbeddedPostgres postgres;

  private PostgresObjects(Path folder, EmbeddedPostgres postgres) {
    this.folder = folder;
    this.postgres = postgres;
  }

  /// @throws PostgresOutbox.CannotStart if there is none for this machine
  static PostgresObjects start() {
    Path folder = Data.folder();
    try {
      PostgresObjects started =
          new PostgresObjects(
              folder,
              EmbeddedPostgres.builder()
                  .setOverrideWorkingDirectory(folder.toFile())
                  .setDataDirectory(folder.resolve("data"))
                  .setServerConfig("fsync", "on")
                  .setServerConfig("synchronous_commit", "on")
                  .setServerConfig("shared_buffers", "1GB")
                  .start());
      try (Connection connection = started.connection();
          Statement statement = connection.createStatement()) {
        for (String table : TABLES) {
          statement.execute(table);
        }
      }
      return started;
    } catch (IOException | SQLException | RuntimeException | LinkageError e) {
      Data.delete(folder);
      throw new PostgresOutbox.CannotStart(e);
    }
  }

  private Connection connection() throws SQLException {
    return postgres.getPostgresDatabase().getConnection();
  }

  /// An event as it is sent.
  record Row(String key, String version, String sequencer, long size) {}

  /// A connection that takes events.
  final class Client implements AutoCloseable {
    private final Connection connection;
    private final PreparedStatement insert;
    private final PreparedStatement current;

    Client() throws SQLException {
      connection = connection();
      connection.setAutoCommit(false);
      insert = connection.prepareStatement(INSERT);
      current = connection.prepareStatement(CURRENT);
    }

    void take(List<Row> rows) throws SQLException {
      int size = rows.size();
      Timestamp[] times = new Timestamp[size];
      Boolean[] markers = new Boolean[size];
      Arrays.fill(times, new Timestamp(ObjectCalls.TIME.toEpochMilli()));
      Arrays.fill(markers, false);
      String[] keys = rows.stream().map(Row::key).toArray(String[]::new);
      String[] buckets = same("lab", size);
      insert.setArray(1, connection.createArrayOf("text", same("Created", size)));
      insert.setArray(2, connection.createArrayOf("text", buckets));
      insert.setArray(3, connection.createArrayOf("text", keys));
      insert.setArray(
          4, connection.createArrayOf("text", rows.stream().map(Row::version).toArray()));
      insert.setArray(5, connection.createArrayOf("timestamptz", times));
      insert.setArray(
          6, connection.createArrayOf("bigint", rows.stream().map(Row::size).toArray()));
      insert.setArray(7, connection.createArrayOf("text", same(ObjectCalls.E_TAG, size)));
      insert.setArray(
          8, connection.createArrayOf("text", rows.stream().map(Row::sequencer).toArray()));
      insert.setArray(9, connection.createArrayOf("boolean", markers));
      insert.setArray(10, connection.createArrayOf("text", same("CreatedPut", size)));
      insert.executeUpdate();
      current.setArray(1, connection.createArrayOf("text", buckets));
      current.setArray(2, connection.createArrayOf("text", keys));
      current.executeUpdate();
      connection.commit();
    }

    private static String[] same(String text, int size) {
      String[] all = new String[size];
      Arrays.fill(all, text);
      return all;
    }

    @Override
    public void close() throws SQLException {
      connection.close();
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
