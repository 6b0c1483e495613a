package dev.veridex.http.routes.documents;

import dev.veridex.access.check.Trace;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.common.Namespace;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.access.AccessRoutes;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.search.query.SearchAnswer;
import dev.veridex.search.query.SearchRequest;
import dev.veridex.search.query.Searcher;
import dev.veridex.search.query.Suggestions;
import dev.veridex.search.query.VisibilityReasons;
import java.util.List;
import java.util.function.Supplier;

/// Searches over HTTP.
public final class SearchRoutes {
  private static final String SHOWN = "; shown is what the subject may read";

  private final Searcher search;
  private final RevisionSeal seal;

  public SearchRoutes(Searcher search, RevisionSeal seal) {
    this.search = search;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.POST,
                DocumentRoutes.BUCKET + "/search",
                "document.search",
                "Search the documents of a bucket")
            .reads(SearchShapes.REQUEST, SearchShapes.example())
            .needs(reads())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET)
            .answers(Reply.json(200, SearchShapes.ANSWER).or(410).or(503), this::search),
        Route.of(
                Method.POST,
                "/v1/accounts/{account}/search",
                "document.search.several",
                "Search the documents of several buckets")
            .reads(SearchShapes.SEVERAL, SearchShapes.example())
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(), "the ACL of each bucket: read" + SHOWN))
            .takes(Route.ACCOUNT)
            .answers(Reply.json(200, SearchShapes.ANSWER).or(410).or(503), this::searchSeveral),
        Route.of(
                Method.POST,
                DocumentRoutes.BUCKET + "/suggest",
                "document.suggest",
                "Words of a bucket's documents that begin in some way")
            .reads(SuggestShapes.ASKED_SHAPE, SuggestShapes.example())
            .needs(reads())
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET)
            .answers(Reply.json(200, SuggestShapes.ANSWER).or(503), this::suggest),
        Route.of(
                Method.POST,
                DocumentRoutes.BUCKET + "/search/why",
                "document.search.why",
                "Why searches show a document to somebody, or do not")
            .reads(WhyShapes.ASKED_SHAPE, WhyShapes.example())
            .needs(
                new RequiredRight.Allowed<>(
                    new ScopeSource.Inside<>(),
                    "the bucket's ACL: read, for administrators and services that may impersonate",
                    this::mayRead))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET)
            .answers(Reply.json(200, WhyShapes.ANSWER).or(503), this::why));
  }

  /// Whoever reads the bucket may search; what is found is another matter.
  private <Q> RequiredRight<Q> reads() {
    return new RequiredRight.Allowed<>(
        new ScopeSource.Inside<>(), "the bucket's ACL: read" + SHOWN, this::mayRead);
  }

  private void mayRead(Call<?> call) {
    search.mayRead(call.who(), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET));
  }

  private Answer<WhyShapes.WhyAnswer> why(Call<WhyShapes.WhyRequest> call) {
    VisibilityReasons.Explanation explained =
        search
            .reasons()
            .why(
                new ActingCaller(call.who(), call.body().as()),
                Namespace.of(call.scope()),
                call.get(BucketRoutes.BUCKET),
                call.body().pk());
    tell(call, explained.why());
    String revision = seal.seal(explained.revision());
    return Answer.at(revision, new WhyShapes.WhyAnswer(call.body().pk(), explained, revision));
  }

  private Answer<SuggestShapes.SuggestAnswer> suggest(Call<SuggestShapes.SuggestRequest> call) {
    SuggestShapes.SuggestRequest asked = call.body();
    Suggestions.SuggestAnswer suggested =
        search
            .suggestions()
            .suggest(
                new ActingCaller(call.who(), asked.as()),
                Namespace.of(call.scope()),
                call.get(BucketRoutes.BUCKET),
                asked.prefix(),
                asked.fields(),
                asked.limit());
    String revision = seal.seal(suggested.revision());
    return Answer.at(revision, new SuggestShapes.SuggestAnswer(suggested.words(), revision));
  }

  private Answer<SearchShapes.TimedAnswer> search(Call<SearchRequest> call) {
    return answer(
        call,
        () ->
            search.search(
                asking(call),
                Namespace.of(call.scope()),
                call.get(BucketRoutes.BUCKET),
                call.body()));
  }

  private Answer<SearchShapes.TimedAnswer> searchSeveral(Call<SearchRequest> call) {
    return answer(call, () -> search.search(asking(call), Namespace.of(call.scope()), call.body()));
  }

  /// Reasons take room as those of checks do.
  private static void tell(Call<?> call, List<Trace> why) {
    why.forEach(trace -> call.room().accept((long) AccessRoutes.PART_BYTES * trace.size()));
  }

  private static ActingCaller asking(Call<SearchRequest> call) {
    return new ActingCaller(call.who(), call.body().as());
  }

  private Answer<SearchShapes.TimedAnswer> answer(
      Call<SearchRequest> call, Supplier<SearchAnswer> searching) {
    long begin = System.nanoTime();
    SearchAnswer answered = searching.get();
    answered.hits().forEach(hit -> tell(call, hit.why()));
    String revision = seal.seal(answered.revision());
    return Answer.at(
        revision,
        new SearchShapes.TimedAnswer(answered, revision, (System.nanoTime() - begin) / 1_000_000));
  }
}
