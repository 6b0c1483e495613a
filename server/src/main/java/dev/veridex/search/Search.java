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
import dev.veridex.index.Ask;
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
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

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
      known(request.atLeast().get());
      feed.await(target.open, request.patience());
      try (Snapshot fresh = store.snapshot()) {
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
      Found found = asked(target.open.generation(), () -> view.search(ask));
      Optional<byte[]> last = last(found);
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
      return new Suggestions(
          asked(target.open.generation(), () -> view.suggest(suggest)), target.revision);
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

  /// Asks an index, on a thread that may be kept busy. Whoever finds it damaged says so.
  private <T> T asked(Generation generation, Callable<T> question) {
    Future<T> answer = threads.submit(question);
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
  }

  private Answered goOn(
      String bucket, Target target, Request request, byte[] list, List<String> failed) {
    try (Cursors.Given given = cursors.open(list, request.cursor().orElseThrow(), target.now)) {
      Ask ask =
          QueryParser.parse(target.open.schema(), request, target.now, Optional.of(given.place()));
      Found found = asked(target.open.generation(), () -> given.pinned().view().search(ask));
      Optional<byte[]> last = last(found);
      return new Answered(
          bucket,
          found,
          failed,
          last.map(place -> cursors.text(given.id(), list, place)),
          target.revision);
    }
  }

  /// The place of the last hit, if there may be more.
  private static Optional<byte[]> last(Found found) {
    return found.more() && !found.hits().isEmpty()
        ? Optional.of(found.hits().getLast().place())
        : Optional.empty();
  }

  /// Whose list it is: of this generation, asker and question.
  private static byte[] list(Asking asking, Target target, Request request) {
    return new KeyWriter()
        .string("search")
        .string(target.open.generation().name())
        .string(asking.as().or(asking.caller()::subject).orElse(""))
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
