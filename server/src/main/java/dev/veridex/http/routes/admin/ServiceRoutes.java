package dev.veridex.http.routes.admin;

import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.ChangeReply;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.tenancy.Service;
import dev.veridex.tenancy.Services;
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

  private record ServiceRequest(Optional<String> description) {}

  private static final Shape<ServiceRequest> WANTED =
      Shape.in(
          "ServiceRequest",
          List.of(DESCRIPTION),
          given -> new ServiceRequest(given.find(DESCRIPTION)));

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
            .needs(new RequiredRight.Owns<>(new ScopeSource.Inside<>(), WHO))
            .takes(Route.ACCOUNT, ID)
            .answers(
                Reply.json(200, ChangeReply.shape("ServicePut", MEMBERS, ServiceRoutes::write))
                    .or(201),
                this::put),
        Route.of(Method.GET, PATH, "service.read", "A service")
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT, ID)
            .answers(Reply.json(200, SERVICE), this::read),
        Route.of(Method.DELETE, PATH, "service.delete", "Remove a service")
            .needs(new RequiredRight.Owns<>(new ScopeSource.Inside<>(), WHO))
            .takes(Route.ACCOUNT, ID)
            .answers(Reply.json(200, WriteReceipt.SHAPE), this::delete),
        Route.of(Method.GET, ALL, "service.list", "The services of an account")
            .needs(new RequiredRight.Reaches<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT, PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(Reply.json(200, PageParameters.of("ServiceList", SERVICE)), this::list));
  }

  private Answer<ChangeReply<Service>> put(Call<ServiceRequest> call) {
    return ChangeReply.put(
        services.put(
            call.caller(), Namespace.of(call.scope()), call.get(ID), call.body().description()),
        seal);
  }

  private Answer<Service> read(Call<NoBody> call) {
    return Answer.of(services.find(Namespace.of(call.scope()), call.get(ID)));
  }

  private Answer<WriteReceipt> delete(Call<NoBody> call) {
    return ChangeReply.deleted(
        services.delete(call.caller(), Namespace.of(call.scope()), call.get(ID)), seal);
  }

  private Answer<Page<Service>> list(Call<NoBody> call) {
    return Answer.of(
        services.list(
            Namespace.of(call.scope()),
            call.find(PageParameters.CURSOR),
            PageParameters.limit(call)));
  }

  private static void write(Service service, AnswerObject out) {
    out.put(ID_MEMBER, service.id())
        .put(SIGNATURE, service.signature())
        .put(DESCRIPTION, service.description())
        .put(CREATED_AT, service.createdAt());
  }
}
