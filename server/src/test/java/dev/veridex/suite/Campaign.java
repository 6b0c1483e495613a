package dev.veridex.suite;

import dev.veridex.common.Seeds;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;

/// A campaign of the tests: random cases, kills, races. Its sizes stand here and nowhere else.
///
/// `-D{property}=N` sets the size of one campaign, `-Dveridex.long=true` takes the long size of
/// all, and `-Dveridex.seed=N` runs one case alone. `docs/reliability.md` says what each of them
/// does.
public enum Campaign {
  STORE_HISTORIES(1000, 10_000),
  STORE_THREADS(200, 2000),
  STORE_KILLS(10, 300),
  SERVER_KILLS(4, 60),
  HTTP_FUZZ(5000, 200_000),
  ITEMS_HISTORIES(200, 20_000),
  ITEMS_ROCKS(6, 150),
  ACCESS_HISTORIES(1500, 25_000),
  ACCESS_ROCKS(50, 400),
  ACCESS_KILLS(6, 40),
  ACCESS_WORLDS(500, 10_000),
  ACCESS_LARGE_WORLDS(15, 60),
  ACCESS_PAST(40, 600),
  ACCESS_PAST_ROCKS(4, 30),
  ACCESS_WHATIF(250, 5000),
  ACCESS_RACE(1500, 4000),
  ACCESS_SETS(60, 300),
  ACCESS_ITEMS(40, 600),
  DOCUMENTS_BATCHES(150, 1500),
  DOCUMENTS_SIMULATIONS(250, 5000),
  DOCUMENTS_KILLS(10, 150),
  OBJECTS_HISTORIES(400, 20_000),
  OBJECTS_ROCKS(4, 60),
  OBJECTS_RACE(1000, 20_000),
  INDEX_HISTORIES(15, 400),
  SEARCH_WORLDS(10, 200),
  VISIBILITY_WORLDS(14, 400),
  VISIBILITY_RACE(30_000, 1_000_000),
  VISIBILITY_RACE_DISK(2000, 20_000),
  VISIBILITY_FRESH(300, 1000),
  SUPERSEDED_HISTORIES(150, 5000),
  RESTART_KILLS(15, 500),
  GRANTS_HISTORIES(300, 20_000),
  GRANTS_ROCKS(6, 100),
  GRANT_DECISIONS(250, 10_000),
  GRANT_DECISIONS_ROCKS(6, 100),
  GRANT_NEW_ENEMY(2000, 100_000),
  DELETION_KILLS(3, 20),
  DELETION_SERVER_KILLS(1, 5);

  /// What was tried since somebody last asked, for the table of the suite. Tests report to it from
  /// wherever they are, and a process of tests runs one class at a time.
  private static final Map<Campaign, Tried> TRIED = new EnumMap<>(Campaign.class);

  private final int usual;
  private final int large;

  Campaign(int usual, int large) {
    this.usual = usual;
    this.large = large;
  }

  /// What a campaign tried.
  ///
  /// @param cases its size
  /// @param counts what it counted on the way, for example `671 crashes`
  record Tried(int cases, List<String> counts) {}

  /// The property that sets its size.
  public String property() {
    return "veridex." + name().toLowerCase(Locale.ROOT).replace('_', '.');
  }

  /// Its size in every build.
  int usual() {
    return usual;
  }

  /// Its size in a long run.
  int large() {
    return large;
  }

  /// How many cases it tries in this run.
  public int size() {
    int size = Integer.getInteger(property(), Boolean.getBoolean("veridex.long") ? large : usual);
    synchronized (TRIED) {
      TRIED.putIfAbsent(this, new Tried(size, new ArrayList<>()));
    }
    return size;
  }

  /// Runs a check for each of its seeds.
  public void forEach(LongConsumer check) {
    Seeds.forEach(size(), check);
  }

  /// Tells the table of the suite what the campaign did, for example 671 and "crashes".
  public void count(long number, String of) {
    synchronized (TRIED) {
      TRIED
          .computeIfAbsent(this, _ -> new Tried(size(), new ArrayList<>()))
          .counts
          .add("%,d %s".formatted(number, of));
    }
  }

  /// What was tried since the last call.
  static Map<Campaign, Tried> takeTried() {
    synchronized (TRIED) {
      Map<Campaign, Tried> tried = new EnumMap<>(Campaign.class);
      tried.putAll(TRIED);
      TRIED.clear();
      return tried;
    }
  }
}
