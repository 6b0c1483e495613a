package dev.veridex.tenancy;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.KeyReader;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RecordKind;
import dev.veridex.common.Scope;
import dev.veridex.common.VeridexException;
import dev.veridex.identity.Token;
import dev.veridex.identity.TokenRequest;
import dev.veridex.records.Incarnations;
import dev.veridex.records.JsonRecord;
import dev.veridex.records.RecordPages;
import dev.veridex.store.Reader;
import dev.veridex.store.Snapshot;
import dev.veridex.store.Store;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The services that are registered in an account or one of its environments.
///
/// A token that names a service proves its signature only where the service is registered, so
/// removing one makes all its tokens' signatures worthless there at once.
public final class Services {
  private final Store store;
  private final AdminChanges administration;
  private final Incarnations incarnations;

  public Services(Store store, AdminChanges administration, Incarnations incarnations) {
    this.store = store;
    this.administration = administration;
    this.incarnations = incarnations;
  }

  /// Registers a service, or changes its description.
  public ChangeResult<Service> put(
      Token caller, Namespace namespace, String id, Optional<String> description) {
    return administration.change(
        caller,
        "service.put",
        namespace,
        List.of(id),
        transaction -> {
          if (!TokenRequest.isId(id)) {
            return new ChangeResult.Refused<>(
                Problem.of(ErrorCode.INVALID_NAME, "a service's id has 1 to 1100 bytes")
                    .with("parameter", "id"));
          }
          Optional<Service> before = find(transaction, namespace.scope(), id);
          Service service =
              new Service(
                  id, description, before.map(Service::createdAt).orElse(transaction.now()));
          byte[] encoded = encode(service);
          Optional<Problem> large = JsonRecord.tooLarge(encoded);
          if (large.isPresent()) {
            return new ChangeResult.Refused<>(large.get());
          }
          transaction.put(key(transaction, namespace.scope(), id), encoded);
          return new ChangeResult.Done<>(service, before.isEmpty(), transaction.revision());
        });
  }

  /// Removes a service.
  public ChangeResult<Service> delete(Token caller, Namespace namespace, String id) {
    return administration.change(
        caller,
        "service.delete",
        namespace,
        List.of(id),
        transaction -> {
          if (find(transaction, namespace.scope(), id).isEmpty()) {
            return new ChangeResult.Refused<>(notFound());
          }
          transaction.delete(key(transaction, namespace.scope(), id));
          return new ChangeResult.Deleted<>(transaction.revision());
        });
  }

  /// The service with an id.
  ///
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  public Service find(Namespace namespace, String id) {
    try (Snapshot snapshot = store.snapshot()) {
      require(snapshot, namespace);
      return find(snapshot, namespace.scope(), id)
          .orElseThrow(() -> new VeridexException(notFound()));
    }
  }

  private void require(Reader reader, Namespace namespace) {
    VeridexException.throwIf(administration.missing(reader, namespace));
  }

  /// The services of a scope, by id.
  ///
  /// @param cursor of the page before
  /// @throws VeridexException `NOT_FOUND`, `GONE`
  public Page<Service> list(Namespace namespace, Optional<String> cursor, int limit) {
    try (Snapshot snapshot = store.snapshot()) {
      require(snapshot, namespace);
      byte[] prefix = prefix(snapshot, namespace.scope());
      return RecordPages.page(
          snapshot,
          prefix,
          cursor,
          limit,
          (key, value) -> Optional.of(decode(new KeyReader(key, prefix.length).string(), value)),
          Service::id);
    }
  }

  private static Problem notFound() {
    return Problem.of(ErrorCode.NOT_FOUND, "there is no such service");
  }

  /// The signatures of those services that are registered in a scope.
  public Set<String> signatures(Reader reader, Scope scope, List<String> ids) {
    Set<String> signatures = new HashSet<>();
    for (String id : ids) {
      if (find(reader, scope, id).isPresent()) {
        signatures.add(Service.signature(id));
      }
    }
    return signatures;
  }

  private Optional<Service> find(Reader reader, Scope scope, String id) {
    return TokenRequest.isId(id)
        ? reader.get(key(reader, scope, id)).map(bytes -> decode(id, bytes))
        : Optional.empty();
  }

  private byte[] key(Reader reader, Scope scope, String id) {
    return KeyWriter.after(prefix(reader, scope)).string(id).toKey();
  }

  private byte[] prefix(Reader reader, Scope scope) {
    return new KeyWriter()
        .scope(RecordKind.SERVICE.code(), scope, incarnations.of(reader, scope))
        .toKey();
  }

  private static byte[] encode(Service service) {
    ObjectNode object = JsonRecord.object();
    JsonRecord.put(object, "description", service.description());
    object.put("createdAt", service.createdAt().toString());
    return JsonRecord.bytes(object);
  }

  private static Service decode(String id, byte[] bytes) {
    JsonNode object = JsonRecord.read(bytes);
    return new Service(
        id,
        JsonRecord.text(object, "description"),
        Instant.parse(object.get("createdAt").asString()));
  }
}
