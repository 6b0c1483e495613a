package dev.veridex.search;

import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Place;
import dev.veridex.buckets.Asking;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.documents.Generations;
import dev.veridex.index.Ask;
import dev.veridex.index.Found;
import dev.veridex.index.IndexView;
import dev.veridex.index.Suggest;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Answers searches from the indexes of buckets.
public final class Search implements Agent {
  private static final int MAX_FAILED = 100;

  /// Nobody waits longer for a suggestion.
  private static final Duration SUGGESTING = Duration.ofSeconds(1);

  private final Store store;
  private final Directory directory;
  private final Generations generations;
  private final Feed feed;
  private final Cursors cursors;

  /// @param first a number that no earlier process began at: cursors are numbered from it on
  public Search(Store store, Directory directory, Generations generations, Feed feed, long first) {
    this.store = store;
    this.directory = directory;
    this.generations = generations;
    this.feed = feed;
    this.cursors = new Cursors(store.seal().cursors(), first);
  }

  /// An answer.
  ///
  /// @param failed keys of documents that were accepted and could not be indexed yet; only if the
  ///   asker wanted the answer to be fresh
  /// @param cursor where to go on; absent at the end
  public record Answered(
      String bucket,
      Found found,
      List<String> failed,
      Optional<String> cursor,
      Revision revision) {}

  /// What a search takes, looked up once.
  private record Target(
      Directory.Found found, Generations.Open open, Instant now, Revision revision) {}

  /// Lets a caller pass who may search a bucket.
  public void maySearch(Asking asking, Place place, String bucket) {
    target(asking, place, bucket);
  }

  private Target target(Asking asking, Place place, String bucket) {
    try (Snapshot snapshot = store.snapshot()) {
      Directory.Found found =
          directory
              .find(snapshot, place, bucket)
              .filter(each -> each.bucket().type().name().equals(DocumentSettings.TYPE))
              .orElseThrow(() -> directory.nothing(snapshot, asking.caller(), place));
      if (!asking.caller().administers(found.bucket().place().scope())) {
        throw new AccessRefused(
            Problem.of(ErrorCode.FORBIDDEN, "searching takes an administrator of the scope"));
      }
      return new Target(
          found, generations.serving(snapshot, found), snapshot.now(), snapshot.revision());
    }
  }

  /// Searches a bucket.
  public Answered search(Asking asking, Place place, String bucket, Request request) {
    Target target = target(asking, place, bucket);
    List<String> failed = List.of();
    if (request.atLeast().isPresent()) {
      Revision wanted = store.seal().open(request.atLeast().get());
      try (Snapshot fresh = store.snapshot(wanted)) {
        feed.await(target.open, request.patience());
        failed = generations.failed(fresh, target.open.generation(), MAX_FAILED);
      }
      target = target(asking, place, bucket);
    }
    byte[] list = list(asking, target, request);
    if (request.cursor().isPresent()) {
      return goOn(bucket, target, request, list, failed);
    }
    Ask ask = QueryParser.parse(target.open.schema(), request, target.now, Optional.empty());
    IndexView view = feed.view(target.open.generation());
    boolean pinned = false;
    try {
      Found found = view.search(ask);
      Optional<byte[]> last = last(request, found);
      Optional<String> cursor = Optional.empty();
      if (last.isPresent()) {
        pinned = true;
        cursor =
            Optional.of(
                cursors.pin(
                    target.found.bucket().place().scope(), view, list, last.get(), target.now));
      }
      return new Answered(bucket, found, failed, cursor, target.revision);
    } finally {
      if (!pinned) {
        view.close();
      }
    }
  }

  /// Words of a bucket's documents that begin in some way.
  public record Suggestions(Suggest.Suggested suggested, Revision revision) {}

  /// Suggests how a word may go on.
  ///
  /// @param fields where words are from; none: all that have words or are keywords
  public Suggestions suggest(
      Asking asking, Place place, String bucket, String prefix, List<String> fields, int limit) {
    Target target = target(asking, place, bucket);
    Suggest suggest =
        new Suggest(
            target.open.schema(),
            target.now,
            SUGGESTING,
            QueryParser.suggesting(target.open.schema(), fields),
            prefix,
            limit);
    try (IndexView view = feed.view(target.open.generation())) {
      return new Suggestions(view.suggest(suggest), target.revision);
    }
  }

  private Answered goOn(
      String bucket, Target target, Request request, byte[] list, List<String> failed) {
    try (Cursors.Given given = cursors.open(list, request.cursor().orElseThrow(), target.now)) {
      Ask ask =
          QueryParser.parse(target.open.schema(), request, target.now, Optional.of(given.place()));
      Found found = given.pinned().view().search(ask);
      Optional<byte[]> last = last(request, found);
      if (last.isEmpty()) {
        cursors.drop(given.id());
      }
      return new Answered(
          bucket,
          found,
          failed,
          last.map(place -> cursors.text(given.id(), list, place)),
          target.revision);
    }
  }

  /// The place of the last hit, if there may be more.
  private static Optional<byte[]> last(Request request, Found found) {
    return request.limit() > 0 && found.hits().size() == request.limit()
        ? Optional.of(found.hits().getLast().place())
        : Optional.empty();
  }

  /// Whose list it is: of this generation, asker and question.
  private static byte[] list(Asking asking, Target target, Request request) {
    return new KeyWriter()
        .string("search")
        .string(target.open.generation().name())
        .string(asking.as().or(asking.caller()::subject).orElse(""))
        .bytes(hash(request.identity()))
        .toKey();
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
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
