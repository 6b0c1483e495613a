package dev.veridex.http.routes.admin;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.TokenRequest;
import dev.veridex.identity.Tokens;
import java.util.List;

/// Tokens: mint, look at, revoke.
public final class TokenRoutes {
  private static final Parameter<String> ID =
      Parameter.path("id", Type.ID, "the token's id, never its secret");

  private final Tokens tokens;
  private final RevisionSeal seal;

  public TokenRoutes(Tokens tokens, RevisionSeal seal) {
    this.tokens = tokens;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.POST, "/v1/tokens", "token.mint", "Mint a token, never wider than yours")
            .reads(TokenShapes.REQUEST, TokenShapes.example())
            .needs(new RequiredRight.Administers<>(new ScopeSource.Body<>(TokenRequest::scope)))
            .answers(Reply.json(201, TokenShapes.MINTED), this::mint),
        Route.of(Method.GET, "/v1/tokens", "token.list", "The tokens of a scope, by id")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Query<>()))
            .takes(PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(
                Reply.json(200, PageParameters.of("TokenList", TokenShapes.TOKEN)), this::list),
        Route.of(Method.GET, "/v1/tokens/{id}", "token.read", "A token, without its secret")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Callers<>()))
            .takes(ID)
            .answers(Reply.json(200, TokenShapes.TOKEN), this::read),
        Route.of(Method.DELETE, "/v1/tokens/{id}", "token.revoke", "Make a token worthless")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Callers<>()))
            .takes(ID)
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::revoke));
  }

  private Answer<TokenShapes.MintAnswer> mint(Call<TokenRequest> call) {
    return switch (tokens.mint(call.caller(), call.body())) {
      case MintResult.Minted(Token token, String secret, var revision) -> {
        String sealed = seal.seal(revision);
        yield Answer.at(sealed, new TokenShapes.MintAnswer(token, secret, sealed));
      }
      case MintResult.Refused(Problem problem) -> throw new VeridexException(problem);
    };
  }

  private Answer<Page<Token>> list(Call<NoBody> call) {
    return Answer.of(
        tokens.list(
            call.caller(),
            call.scope(),
            call.find(PageParameters.CURSOR),
            PageParameters.limit(call)));
  }

  private Answer<Token> read(Call<NoBody> call) {
    return Answer.of(tokens.find(call.caller(), call.get(ID)).orElseThrow(TokenRoutes::notFound));
  }

  private Answer<WriteReceipt> revoke(Call<NoBody> call) {
    String sealed =
        tokens
            .revoke(call.caller(), call.get(ID))
            .map(seal::seal)
            .orElseThrow(TokenRoutes::notFound);
    return Answer.at(sealed, new WriteReceipt(sealed));
  }

  private static VeridexException notFound() {
    return new VeridexException(Problem.of(ErrorCode.NOT_FOUND, "there is no such token"));
  }
}
