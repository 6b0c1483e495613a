package dev.veridex.http.routes;

import dev.veridex.accounts.Place;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.Right;
import dev.veridex.http.Route;
import dev.veridex.http.Where;
import dev.veridex.search.Request;
import dev.veridex.search.Search;
import java.util.List;

/// Searches over HTTP.
public final class SearchRoutes {
  private final Search search;
  private final RevisionSeal seal;

  public SearchRoutes(Search search, RevisionSeal seal) {
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
            .needs(new Right.Administers<>(new Where.Inside<>()))
            .takes(Route.ACCOUNT, BucketRoutes.BUCKET)
            .answers(Reply.json(200, SearchShapes.ANSWER).or(410).or(503), this::search));
  }

  private Answer<SearchShapes.Answered> search(Call<Request> call) {
    long begin = System.nanoTime();
    Search.Answered answered =
        search.search(
            DocumentRoutes.asking(call),
            Place.of(call.scope()),
            call.get(BucketRoutes.BUCKET),
            call.body());
    String revision = seal.seal(answered.revision());
    return Answer.at(
        revision,
        new SearchShapes.Answered(answered, revision, (System.nanoTime() - begin) / 1_000_000));
  }
}
