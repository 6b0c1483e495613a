package dev.veridex.http.routes;

import dev.veridex.accounts.Place;
import dev.veridex.accounts.Service;
import dev.veridex.accounts.Services;
import dev.veridex.common.Page;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.Right;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.Where;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.http.shape.Written;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;

/// Services of an account or an environment: register, look at, list, remove.
public final class ServiceRoutes {
  private static final String ALL = "/v1/accounts/{account}/services";
  private static final String PATH = ALL + "/{id}";
  private static final String WHO = "the account's owner or scope admin";

  private static final Parameter<String> ID =
      Parameter.path("id", Type.TEXT, "the public id of the service");
  private static final Member<String> ID_MEMBER = Member.required("id", Type.ID, "its public id");
  private static final Member<String> SIGNATURE =
      Member.required("signature", Type.TEXT, "what ACLs name it by: the SHA-1 of its id");
  private static final Member<String> DESCRIPTION =
      Member.optional("description", Type.TEXT, "what it is for");
  private static final Member<Instant> CREATED_AT =
      Member.required("createdAt", Type.TIME, "when it was registered");
  private static final List<Member<?>> MEMBERS =
      List.of(ID_MEMBER, SIGNATURE, DESCRIPTION, CREATED_AT);

  private record Wanted(Optional<String> description) {}

  private static final Shape<Wanted> WANTED =
      Shape.in(
          "ServiceRequest", List.of(DESCRIPTION), given -> new Wanted(given.find(DESCRIPTION)));

  private static final Shape<Service> SERVICE = Shape.out("Service", MEMBERS, ServiceRoutes::write);

  private final Services services;
  private final RevisionSeal seal;

  public ServiceRoutes(Services services, RevisionSeal seal) {
    this.services = services;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.PUT, PATH, "service.put", "Register a service")
            .reads(WANTED, JsonNodeFactory.instance.objectNode().put("description", "the crawler"))
            .needs(new Right.Owns<>(new Where.Inside<>(), WHO))
            .takes(Route.ACCOUNT, ID)
            .answers(
                Reply.json(200, Changed.shape("ServicePut", MEMBERS, ServiceRoutes::write)).or(201),
                this::put),
        Route.of(Method.GET, PATH, "service.read", "A service")
            .needs(new Right.Reaches<>(new Where.Inside<>()))
            .takes(Route.ACCOUNT, ID)
            .answers(Reply.json(200, SERVICE), this::read),
        Route.of(Method.DELETE, PATH, "service.delete", "Remove a service")
            .needs(new Right.Owns<>(new Where.Inside<>(), WHO))
            .takes(Route.ACCOUNT, ID)
            .answers(Reply.json(200, Accepted.SHAPE), this::delete),
        Route.of(Method.GET, ALL, "service.list", "The services of an account")
            .needs(new Right.Reaches<>(new Where.Inside<>()))
            .takes(Route.ACCOUNT, Lists.LIMIT, Lists.CURSOR)
            .answers(Reply.json(200, Lists.of("ServiceList", SERVICE)), this::list));
  }

  private Answer<Changed<Service>> put(Call<Wanted> call) {
    return Changed.put(
        services.put(
            call.caller(), Place.of(call.scope()), call.get(ID), call.body().description()),
        seal);
  }

  private Answer<Service> read(Call<NoBody> call) {
    return Answer.of(services.find(Place.of(call.scope()), call.get(ID)));
  }

  private Answer<Accepted> delete(Call<NoBody> call) {
    return Changed.deleted(
        services.delete(call.caller(), Place.of(call.scope()), call.get(ID)), seal);
  }

  private Answer<Page<Service>> list(Call<NoBody> call) {
    return Answer.of(
        services.list(Place.of(call.scope()), call.find(Lists.CURSOR), Lists.limit(call)));
  }

  private static void write(Service service, Written out) {
    out.put(ID_MEMBER, service.id())
        .put(SIGNATURE, service.signature())
        .put(DESCRIPTION, service.description())
        .put(CREATED_AT, service.createdAt());
  }
}
