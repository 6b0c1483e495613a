package dev.veridex.search;

import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Place;
import dev.veridex.accounts.Token;
import dev.veridex.buckets.Asking;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.Generation;
import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.Generations;
import dev.veridex.index.DamagedIndexException;
import dev.veridex.index.Found;
import dev.veridex.index.IndexView;
import dev.veridex.index.Suggest;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/// Answers searches from the indexes of buckets.
public final class Search implements Agent {
  private static final int MAX_FAILED = 100;
  private static final int MAX_BUCKETS = 30;

  /// Nobody waits longer for a suggestion.
  private static final Duration SUGGESTING = Duration.ofSeconds(1);

  private final Store store;
  private final Directory directory;
  private final Generations generations;
  private final Feed feed;
  private final Cursors cursors;
  private final ExecutorService threads;

  /// @param threads on which to search: it takes long, and requests have none of their own
  /// @param first a number that no earlier process began at: cursors are numbered from it on
  public Search(
      Store store,
      Directory directory,
      Generations generations,
      Feed feed,
      ExecutorService threads,
      long first) {
    this.threads = threads;
    this.store = store;
    this.directory = directory;
    this.generations = generations;
    this.feed = feed;
    this.cursors = new Cursors(store.seal().cursors(), first);
  }

  /// A document that was found.
  public record Hit(String bucket, Found.Hit found) {}

  /// A document that was accepted and could not be indexed yet.
  public record Failed(String bucket, String pk) {}

  /// An answer.
  ///
  /// @param failed only if the asker wanted the answer to be fresh
  /// @param cursor where to go on; absent at the end
  public record Answered(
      List<Hit> hits,
      long total,
      SortedMap<String, List<Found.Count>> facets,
      boolean complete,
      Optional<Boolean> exact,
      List<Failed> failed,
      Optional<String> cursor,
      Revision revision) {}

  /// What a search takes, looked up at one moment.
  private record Targets(List<Target> all, Instant now, Revision revision) {}

  private record Target(Directory.Found found, Generations.Open open) {
    private String bucket() {
      return found.bucket().name();
    }
  }

  /// From what searches in a bucket are answered at a moment.
  record Serving(Generations.Open open, Instant now) {}

  /// @throws VeridexException if the bucket is not there, or the asker may not search it
  Serving serving(Asking asking, Place place, String bucket) {
    Targets targets = targets(asking, place, Optional.of(List.of(bucket)));
    return new Serving(targets.all.getFirst().open, targets.now);
  }

  /// @param named the buckets; absent: all of the place
  private Targets targets(Asking asking, Place place, Optional<List<String>> named) {
    limit(named.map(List::size).orElse(0));
    try (Snapshot snapshot = store.snapshot()) {
      List<Directory.Found> buckets =
          named.isPresent()
              ? named.get().stream().map(each -> bucket(snapshot, asking, place, each)).toList()
              : all(snapshot, place);
      if (!asking.caller().administers(place.scope())) {
        throw new AccessRefused(
            Problem.of(ErrorCode.FORBIDDEN, "searching takes an administrator of the scope"));
      }
      limit(buckets.size());
      return new Targets(
          buckets.stream()
              .map(each -> new Target(each, generations.serving(snapshot, each)))
              .toList(),
          snapshot.now(),
          snapshot.revision());
    }
  }

  private static void limit(int buckets) {
    if (buckets > MAX_BUCKETS) {
      throw BadQuery.at(
          "/buckets", "at most %d buckets are searched at once".formatted(MAX_BUCKETS));
    }
  }

  private Directory.Found bucket(Snapshot snapshot, Asking asking, Place place, String name) {
    return directory
        .find(snapshot, place, name)
        .filter(Search::hasDocuments)
        .orElseThrow(
            () -> {
              VeridexException nothing = directory.nothing(snapshot, asking.caller(), place);
              return nothing instanceof AccessRefused
                  ? nothing
                  : new VeridexException(nothing.problem().with("bucket", name));
            });
  }

  private List<Directory.Found> all(Snapshot snapshot, Place place) {
    directory
        .missingPlace(snapshot, place)
        .ifPresent(
            problem -> {
              throw new VeridexException(problem);
            });
    return directory.all(snapshot, place).stream().filter(Search::hasDocuments).toList();
  }

  private static boolean hasDocuments(Directory.Found found) {
    return found.bucket().type().name().equals(DocumentSettings.TYPE);
  }

  /// Searches a bucket.
  public Answered search(Asking asking, Place place, String bucket, Request request) {
    return search(asking, place, Optional.of(List.of(bucket)), request);
  }

  /// Searches those buckets of a place that the request names, or all.
  public Answered search(Asking asking, Place place, Request request) {
    if (request.buckets().map(List::isEmpty).orElse(false)) {
      throw BadQuery.at("/buckets", "at least one bucket is expected");
    }
    return search(
        asking, place, request.buckets().map(each -> each.stream().distinct().toList()), request);
  }

  private Answered search(
      Asking asking, Place place, Optional<List<String>> named, Request request) {
    byte[] list = list(asking, place, named, request);
    if (request.cursor().isPresent()) {
      return goOn(asking, place, list, request);
    }
    Targets targets = fresh(asking, place, named, request);
    List<Cursors.Shown> shown = new ArrayList<>();
    boolean pinned = false;
    try {
      for (Target target : targets.all) {
        Generation generation = target.open.generation();
        shown.add(
            new Cursors.Shown(
                target.bucket(), generation, target.open.schema(), feed.view(generation)));
      }
      Together.Page page = page(targets, shown, request, Optional.empty());
      Optional<String> cursor = Optional.empty();
      if (page.last().isPresent()) {
        cursor =
            Optional.of(cursors.pin(place.scope(), shown, list, page.last().get(), targets.now));
        pinned = true;
      }
      return answered(targets, page, request, cursor);
    } finally {
      if (!pinned) {
        Cursors.Shown.close(shown);
      }
    }
  }

  private Answered goOn(Asking asking, Place place, byte[] list, Request request) {
    Instant now;
    try (Snapshot snapshot = store.snapshot()) {
      now = snapshot.now();
    }
    try (Cursors.Given given =
        cursors.open(place.scope(), list, request.cursor().orElseThrow(), now)) {
      List<Cursors.Shown> shown = given.pinned().shown();
      Targets targets =
          fresh(
              asking,
              place,
              Optional.of(shown.stream().map(Cursors.Shown::bucket).toList()),
              request);
      for (int i = 0; i < shown.size(); i++) {
        if (!shown.get(i).generation().equals(targets.all.get(i).open.generation())) {
          throw Cursors.expired("what the cursor is about is not there any more");
        }
      }
      Together.Page page = page(targets, shown, request, Optional.of(given.last()));
      return answered(
          targets, page, request, page.last().map(last -> cursors.text(given.id(), list, last)));
    }
  }

  private Together.Page page(
      Targets targets, List<Cursors.Shown> shown, Request request, Optional<Together.Last> after) {
    long deadline = System.nanoTime() + request.timeout().toNanos();
    Together.Answering answering =
        (number, ask) ->
            asked(
                shown.get(number).generation(),
                () -> shown.get(number).view().search(ask.within(until(deadline))));
    return Together.ask(
        shown.stream().map(each -> new Together.Source(each.bucket(), each.schema())).toList(),
        request,
        targets.now,
        after,
        answering);
  }

  private static Duration until(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  private Answered answered(
      Targets targets, Together.Page page, Request request, Optional<String> cursor) {
    return new Answered(
        page.hits(),
        page.total(),
        page.facets(),
        page.complete(),
        page.exact(),
        request.atLeast().isPresent() ? failed(targets) : List.of(),
        cursor,
        targets.revision);
  }

  private List<Failed> failed(Targets targets) {
    List<Failed> failed = new ArrayList<>();
    try (Snapshot snapshot = store.snapshot()) {
      for (Target target : targets.all) {
        generations
            .failed(snapshot, target.open.generation(), MAX_FAILED)
            .forEach(pk -> failed.add(new Failed(target.bucket(), pk)));
      }
    }
    return failed;
  }

  /// Looks for what a search takes when it is as fresh as it was asked to be.
  private Targets fresh(Asking asking, Place place, Optional<List<String>> named, Request request) {
    Targets targets = targets(asking, place, named);
    if (request.atLeast().isEmpty()) {
      return targets;
    }
    known(request.atLeast().get());
    long deadline = System.nanoTime() + request.patience().toNanos();
    targets.all.forEach(target -> feed.await(target.open, deadline));
    return targets(asking, place, named);
  }

  /// Words of a bucket's documents that begin in some way.
  public record Suggestions(Suggest.Suggested suggested, Revision revision) {}

  /// Suggests how a word may go on.
  ///
  /// @param fields where words are from; none: all that have words or are keywords
  public Suggestions suggest(
      Asking asking, Place place, String bucket, String prefix, List<String> fields, int limit) {
    Targets targets = targets(asking, place, Optional.of(List.of(bucket)));
    Target target = targets.all.getFirst();
    Suggest suggest =
        new Suggest(
            target.open.schema(),
            targets.now,
            SUGGESTING,
            QueryParser.suggesting(target.open.schema(), fields),
            prefix,
            limit);
    try (IndexView view = feed.view(target.open.generation())) {
      return new Suggestions(
          asked(target.open.generation(), () -> view.suggest(suggest)).get(), targets.revision);
    }
  }

  /// Refuses a revision that this store has not reached: what was accepted up to now is at least as
  /// fresh as any other.
  private void known(String atLeast) {
    try {
      store.snapshot(store.seal().open(atLeast)).close();
    } catch (VeridexException e) {
      throw new VeridexException(e.problem().at("/atLeast"), e);
    }
  }

  /// Begins to ask an index, on a thread that may be kept busy. Whoever finds it damaged says so.
  private <T> Supplier<T> asked(Generation generation, Callable<T> question) {
    Future<T> answer = threads.submit(question);
    return () -> {
      try {
        return answer.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new VeridexException(
            Problem.of(ErrorCode.UNAVAILABLE, "the search was interrupted"), e);
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case DamagedIndexException damaged -> {
            feed.suspect(generation);
            throw damaged;
          }
          case RuntimeException known -> throw known;
          case Error known -> throw known;
          case null, default -> throw new IllegalStateException(e);
        }
      }
    };
  }

  /// Whose list it is: of this place, these buckets, this asker and question.
  private static byte[] list(
      Asking asking, Place place, Optional<List<String>> named, Request request) {
    KeyWriter list = new KeyWriter().string("search");
    list.string(place.scope().toString()).unsigned(named.map(List::size).orElse(0));
    named.orElse(List.of()).forEach(list::string);
    return list.string(asking.as().or(asking.caller()::subject).orElse(""))
        .string(who(asking))
        .bytes(hash(request.identity()))
        .toKey();
  }

  /// Of those who are nobody in particular, each token has lists of its own.
  private static String who(Asking asking) {
    return asking.as().or(asking.caller()::subject).isPresent()
        ? ""
        : asking.caller().token().map(Token::id).orElse("");
  }

  private static byte[] hash(byte[] text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /// Lets go of what was pinned for too long.
  @Override
  public boolean runOnce() {
    try (Snapshot snapshot = store.snapshot()) {
      cursors.sweep(snapshot.now());
    }
    return false;
  }

  /// Lets go of everything that is pinned.
  public void close() {
    cursors.close();
  }
}
