package dev.veridex.http.routes.objects;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Call;
import dev.veridex.http.Route;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.routes.admin.BucketRoutes;
import dev.veridex.http.routes.documents.DocumentRoutes;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Type;
import dev.veridex.objects.ObjectFilter;
import dev.veridex.objects.ObjectOrder;
import dev.veridex.objects.ObjectQuery;
import dev.veridex.objects.ObjectReader;
import dev.veridex.objects.catalogue.ObjectSelection.State;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The parameters that choose rows of a catalogue: a filter for each field, and the state that is
/// asked for.
final class ObjectParameters {
  static final Parameter<Boolean> CURRENT =
      Parameter.query(
          "currentState", Type.BOOLEAN, "false for all rows there ever were; default: true");
  static final Parameter<Instant> AT =
      Parameter.query("at", Type.TIME, "what had been accepted at a time, and was current then");
  static final Parameter<Instant> EVENT_AT =
      Parameter.query("eventAt", Type.TIME, "what was there at a time, as far as is known now");
  static final Parameter<Boolean> CASE_SENSITIVE =
      Parameter.query(
          "caseSensitive", Type.BOOLEAN, "false if capital and small letters are equal in filters");
  static final Parameter<String> SORT =
      Parameter.query(
          "sort", Type.TEXT, "fields to sort by, as -size,key; default: by bucket and key");

  private ObjectParameters() {}

  /// All parameters of a list, before those of its own.
  static Parameter<?>[] filters(Parameter<?>... own) {
    List<Parameter<?>> all =
        new ArrayList<>(
            List.of(Route.ACCOUNT, BucketRoutes.BUCKET, DocumentRoutes.AS, CASE_SENSITIVE));
    all.addAll(List.of(own));
    for (String name : ObjectFilter.parameters()) {
      all.add(
          Parameter.family(
              name,
              "keeps rows by this field: %s=, %s[]= (one of several), %s[and][]= (all of several)"
                      .formatted(name, name, name)
                  + ", [gt] [gte] [lt] [lte]; texts and times with * and ?"));
    }
    return all.toArray(Parameter<?>[]::new);
  }

  static ObjectReader.Request request(Call<?> call) {
    return new ObjectReader.Request(
        DocumentRoutes.asking(call), Namespace.of(call.scope()), call.get(BucketRoutes.BUCKET));
  }

  static ObjectQuery query(Call<?> call) {
    return new ObjectQuery(
        ObjectFilter.of(call.families(), call.find(CASE_SENSITIVE).orElse(true)),
        state(call),
        call.find(SORT).map(ObjectOrder::of));
  }

  private static State state(Call<?> call) {
    boolean history = !call.find(CURRENT).orElse(true);
    Optional<State> accepted = call.find(AT).map(State.AcceptedBy::new);
    Optional<State> happened = call.find(EVENT_AT).map(State.HappenedBy::new);
    int named = (history ? 1 : 0) + (accepted.isPresent() ? 1 : 0) + (happened.isPresent() ? 1 : 0);
    if (named > 1) {
      throw new VeridexException(
          Problem.of(
                  ErrorCode.BAD_REQUEST,
                  "Only one of currentState=false, at and eventAt can be asked for.")
              .with("parameter", "currentState"));
    }
    return history
        ? new State.History()
        : accepted.or(() -> happened).orElseGet(State.Current::new);
  }

  /// What a cursor of a list is bound to: who asks, and for what.
  ///
  /// @param path of the list
  static byte[] list(Call<?> call, String path) {
    KeyWriter out =
        new KeyWriter()
            .string(path)
            .string(call.scope().text())
            .string(call.who().user().orElse(""))
            .octet(call.token().isPresent() ? 1 : 0);
    new TreeMap<>(call.values())
        .forEach(
            (name, value) -> {
              if (!name.equals(PageParameters.CURSOR.name())
                  && !name.equals(PageParameters.LIMIT.name())) {
                out.string(name).string(value);
              }
            });
    return out.toKey();
  }

  /// The address of the next page.
  ///
  /// @param path below the bucket
  static String link(Call<?> call, String path, String cursor) {
    StringBuilder link =
        new StringBuilder("/v1/accounts/")
            .append(encoded(call.get(Route.ACCOUNT)))
            .append("/buckets/")
            .append(encoded(call.get(BucketRoutes.BUCKET)))
            .append(path)
            .append('?');
    Map<String, String> query = new TreeMap<>(call.families());
    for (Parameter<?> parameter :
        List.of(
            Route.ENV,
            DocumentRoutes.AS,
            CASE_SENSITIVE,
            CURRENT,
            AT,
            EVENT_AT,
            SORT,
            PageParameters.LIMIT)) {
      Optional.ofNullable(call.values().get(parameter.name()))
          .ifPresent(value -> query.put(parameter.name(), value));
    }
    query.forEach(
        (name, value) -> link.append(encoded(name)).append('=').append(encoded(value)).append('&'));
    return link.append("cursor=").append(encoded(cursor)).toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
