package dev.veridex.search;

import dev.veridex.access.AccessVisibility.Sight;
import dev.veridex.access.Rights;
import dev.veridex.access.Trace;
import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Caller;
import dev.veridex.accounts.Place;
import dev.veridex.accounts.Token;
import dev.veridex.buckets.Asking;
import dev.veridex.buckets.Directory;
import dev.veridex.buckets.Generation;
import dev.veridex.common.Agent;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.Revision;
import dev.veridex.common.VeridexException;
import dev.veridex.documents.DocumentSystem;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/// Answers searches from the indexes of buckets.
public final class Search implements Agent {
  private static final int MAX_FAILED = 100;
  private static final int MAX_EXPLAINED = 20;

  /// Nobody waits longer for a suggestion.
  private static final Duration SUGGESTING = Duration.ofSeconds(1);

  private final Store store;
  private final Targets.Finder finder;
  private final Sights sights;
  private final Generations generations;
  private final Feed feed;
  private final Cursors cursors;
  private final ExecutorService threads;

  /// @param sights says what subjects may see
  /// @param threads on which to search: it takes long, and requests have none of their own
  /// @param first a number that no earlier process began at: cursors are numbered from it on
  public Search(
      Store store,
      Directory directory,
      DocumentSystem documents,
      Sights sights,
      Feed feed,
      ExecutorService threads,
      long first) {
    this.threads = threads;
    this.store = store;
    this.sights = sights;
    this.generations = documents.generations();
    this.finder = new Targets.Finder(store, directory, documents.access(), generations);
    this.feed = feed;
    this.cursors = new Cursors(store.seal().cursors(), first);
  }

  /// A document that was found.
  ///
  /// @param why it is shown, for each of its resources; only if the asker wants to know
  public record Hit(String bucket, Found.Hit found, List<Trace> why) {
    Hit(String bucket, Found.Hit found) {
      this(bucket, found, List.of());
    }
  }

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

  /// From what searches in a bucket are answered at a moment.
  record Serving(Generations.Open open, Instant now) {}

  /// For those who are told of everything in a bucket.
  ///
  /// @throws VeridexException if the bucket is not there, or the asker does not administer it
  Serving serving(Asking asking, Place place, String bucket) {
    Targets targets = targets(asking, place, Optional.of(List.of(bucket)));
    if (!asking.caller().administers(place.scope())) {
      throw new AccessRefused(
          Problem.of(ErrorCode.FORBIDDEN, "this takes an administrator of the scope"));
    }
    return new Serving(targets.all().getFirst().open(), targets.now());
  }

  /// Lets a caller pass who may read a bucket of documents, before the question is there.
  public void mayRead(Caller caller, Place place, String bucket) {
    finder.mayRead(new Asking(caller, Optional.empty()), place, bucket);
  }

  private Targets targets(Asking asking, Place place, Optional<List<String>> named) {
    return finder.find(asking, place, named);
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
    Targets found = fresh(asking, place, named, request);
    List<Cursors.Shown> shown = new ArrayList<>();
    boolean pinned = false;
    try {
      for (Targets.Target target : found.all()) {
        Generation generation = target.open().generation();
        shown.add(
            new Cursors.Shown(
                target.bucket(), generation, target.open().schema(), feed.view(generation)));
      }
      // What may be seen is looked up after what is seen: what was written when somebody might
      // still read it not.
      Targets targets = again(asking, place, found);
      Page page = page(asking, targets, shown, request, Optional.empty());
      Optional<String> cursor = Optional.empty();
      if (page.last().isPresent()) {
        cursor =
            Optional.of(cursors.pin(place.scope(), shown, list, page.last().get(), targets.now()));
        pinned = true;
      }
      return answered(page, cursor);
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
        if (!shown.get(i).generation().equals(targets.all().get(i).open().generation())) {
          throw Cursors.expired("what the cursor is about is not there any more");
        }
      }
      Page page = page(asking, targets, shown, request, Optional.of(given.last()));
      return answered(page, page.last().map(last -> cursors.text(given.id(), list, last)));
    }
  }

  /// A page, and the state of what it was taken from.
  private record Page(Together.Page found, List<Hit> hits, List<Failed> failed, Revision revision) {
    private Optional<Together.Last> last() {
      return found.last();
    }
  }

  /// Every page is trimmed by the rights that there are when it is asked for.
  private Page page(
      Asking asking,
      Targets targets,
      List<Cursors.Shown> shown,
      Request request,
      Optional<Together.Last> after) {
    mayBeTold(asking, targets, request);
    Optional<Sight> sight =
        targets.sight(sights, request.atLeast().map(store.seal()::open), request.explain());
    try {
      long deadline = System.nanoTime() + request.timeout().toNanos();
      Together.Answering answering =
          new Together.Answering() {
            @Override
            public Supplier<Found> search(int source, Ask ask) {
              return asked(source, ask, IndexView::search);
            }

            @Override
            public Supplier<Found.Nearest> nearest(int source, Ask ask) {
              return asked(source, ask, IndexView::nearest);
            }

            private <T> Supplier<T> asked(
                int source, Ask ask, BiFunction<IndexView, Ask, T> question) {
              Cursors.Shown each = shown.get(source);
              return Search.this.asked(
                  each.generation(),
                  () -> {
                    Ask trimmed = ask.seenBy(targets.all().get(source).visible(sight));
                    return question.apply(each.view(), trimmed.within(until(deadline)));
                  });
            }
          };
      Together.Page found =
          Together.ask(
              shown.stream()
                  .map(each -> new Together.Source(each.bucket(), each.schema()))
                  .toList(),
              request,
              targets.now(),
              after,
              answering);
      Revision revision = targets.revision(sight);
      return new Page(
          found,
          request.explain() ? explained(targets, sight, found.hits()) : found.hits(),
          request.atLeast().isPresent() ? failed(targets, sight) : List.of(),
          revision);
    } finally {
      sight.ifPresent(Sight::close);
    }
  }

  /// Hits of what is not trimmed have no reason to be shown but that they were found.
  private static List<Hit> explained(Targets targets, Optional<Sight> sight, List<Hit> hits) {
    Map<String, Targets.Target> byName = new HashMap<>();
    targets.all().forEach(target -> byName.put(target.bucket(), target));
    return hits.stream()
        .map(
            hit -> {
              Optional<String> reader =
                  Optional.ofNullable(byName.get(hit.bucket)).flatMap(Targets.Target::reader);
              return reader.isEmpty()
                  ? hit
                  : new Hit(
                      hit.bucket,
                      hit.found,
                      sight.orElseThrow().why(reader.get(), hit.found.resources(), hit.bucket));
            })
        .toList();
  }

  /// Who may see anything of what, once views of it are open.
  private Targets again(Asking asking, Place place, Targets before) {
    Targets now =
        targets(
            asking, place, Optional.of(before.all().stream().map(Targets.Target::bucket).toList()));
    for (int i = 0; i < now.all().size(); i++) {
      if (!now.all().get(i).open().generation().equals(before.all().get(i).open().generation())) {
        throw new VeridexException(
            Problem.of(ErrorCode.UNAVAILABLE, "what is searched is another one by now"));
      }
    }
    return now;
  }

  /// Why something is shown is told to those only who may ask for the subject, and of few hits.
  private static void mayBeTold(Asking asking, Targets targets, Request request) {
    if (!request.explain()) {
      return;
    }
    if (request.limit() > MAX_EXPLAINED) {
      throw BadQuery.at("/limit", "at most %d hits are explained at once".formatted(MAX_EXPLAINED));
    }
    for (Targets.Target target : targets.all()) {
      if (target.reader().isPresent()
          && !asking.caller().is(target.reader())
          && !asking.caller().mayActForOthers(targets.place().scope())) {
        throw new AccessRefused(
            Problem.of(
                ErrorCode.FORBIDDEN,
                "to ask for others takes an administrator, or a service that may impersonate"));
      }
    }
  }

  private static Duration until(long deadline) {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  private static Answered answered(Page page, Optional<String> cursor) {
    Together.Page found = page.found;
    return new Answered(
        page.hits,
        found.total(),
        found.facets(),
        found.complete(),
        found.exact(),
        page.failed,
        cursor,
        page.revision);
  }

  private List<Failed> failed(Targets targets, Optional<Sight> sight) {
    List<Failed> failed = new ArrayList<>();
    try (Snapshot snapshot = store.snapshot()) {
      for (Targets.Target target : targets.all()) {
        generations
            .failed(
                snapshot, target.open().generation(), MAX_FAILED, pk -> target.mayHear(pk, sight))
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
    targets.all().forEach(target -> feed.await(target.open(), deadline));
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
    Generations.Open open = targets.all().getFirst().open();
    List<String> from = QueryParser.suggesting(open.schema(), fields);
    try (IndexView view = feed.view(open.generation())) {
      Targets now = again(asking, place, targets);
      Optional<Sight> sight = now.sight(sights, Optional.empty(), false);
      try {
        Suggest.Suggested suggested =
            asked(
                    open.generation(),
                    () ->
                        view.suggest(
                            new Suggest(
                                open.schema(),
                                now.now(),
                                SUGGESTING,
                                from,
                                prefix,
                                limit,
                                now.all().getFirst().visible(sight))))
                .get();
        return new Suggestions(suggested, now.revision(sight));
      } finally {
        sight.ifPresent(Sight::close);
      }
    }
  }

  /// Why somebody sees a document, or does not.
  public enum Because {
    /// It is shown to the subject.
    VISIBLE,
    /// There is no such document.
    NOT_THERE,
    /// It was accepted, and the index does not show it yet.
    NOT_YET_INDEXED,
    /// It names no resource on which anybody could have rights.
    NO_RESOURCE,
    /// The subject may not read one of its resources.
    NO_RIGHT
  }

  /// Whether a subject sees a document, and why.
  ///
  /// @param why for each resource of the document
  public record Explained(Because because, List<Trace> why, Revision revision) {}

  /// Explains whether and why a subject sees a document: to those only who may ask for others, for
  /// it tells that the document is there.
  public Explained why(Asking asking, Place place, String bucket, String pk) {
    if (!asking.caller().mayActForOthers(place.scope())) {
      throw new AccessRefused(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "to ask for others takes an administrator, or a service that may impersonate"));
    }
    if (asking.as().isEmpty()) {
      throw new VeridexException(
          Problem.of(ErrorCode.SUBJECT_REQUIRED, "of whom it is asked has to be said").at("/as"));
    }
    Targets targets = targets(asking, place, Optional.of(List.of(bucket)));
    Targets.Target target = targets.all().getFirst();
    Generation generation = target.open().generation();
    Optional<IndexView.Held> held;
    try (IndexView view = feed.view(generation)) {
      held = asked(generation, () -> view.find(List.of(pk), targets.now())).get().getFirst();
    }
    if (held.isEmpty()) {
      try (Snapshot snapshot = store.snapshot()) {
        boolean alive = generations.isAlive(snapshot, generation, pk);
        return new Explained(
            alive ? Because.NOT_YET_INDEXED : Because.NOT_THERE, List.of(), targets.revision());
      }
    }
    if (target.reader().isEmpty()) {
      return new Explained(Because.VISIBLE, List.of(), targets.revision());
    }
    try (Sight sight = sights.open(place, Optional.empty(), true)) {
      List<Trace> why = sight.why(target.reader().get(), held.get().resources(), bucket);
      boolean all = why.stream().allMatch(trace -> (trace.rights() & Rights.READ) != 0);
      Because because = all ? Because.VISIBLE : Because.NO_RIGHT;
      return new Explained(why.isEmpty() ? Because.NO_RESOURCE : because, why, sight.revision());
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
