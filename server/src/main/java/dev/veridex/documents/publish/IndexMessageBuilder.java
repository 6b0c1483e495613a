package dev.veridex.documents.publish;

import dev.veridex.buckets.IndexedSettings;
import dev.veridex.common.Expiry;
import dev.veridex.common.VersionTuple;
import dev.veridex.documents.registry.DocumentRegistry;
import dev.veridex.documents.registry.DocumentResources;
import dev.veridex.documents.registry.Epochs;
import dev.veridex.documents.registry.Registry;
import dev.veridex.documents.registry.RegistryRow;
import dev.veridex.documents.registry.TombstoneRetention;
import dev.veridex.index.Schema;
import dev.veridex.protocol.IndexMessage;
import dev.veridex.protocol.RawDocument;
import dev.veridex.store.Reader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Builds the index messages of documents, from one state of the registry.
final class IndexMessageBuilder {
  private final Reader reader;
  private final Registry registry;
  private final Converter converter;
  private final Optional<IndexedSettings> settings;

  /// The body that was unpacked last: it is needed for its conversion, its resources, and by every
  /// generation.
  private Optional<Unpacked> last = Optional.empty();

  private record Unpacked(Registry.BodyId id, RawDocument document) {}

  /// @param settings of the bucket; absent if it is not there any more
  IndexMessageBuilder(
      Reader reader, Registry registry, Converter converter, Optional<IndexedSettings> settings) {
    this.reader = reader;
    this.registry = registry;
    this.converter = converter;
    this.settings = settings;
  }

  /// The bodies of the rows that are alive.
  Map<Registry.BodyId, Optional<Registry.Body>> bodies(List<Registry.DocumentRows> known) {
    List<Registry.BodyId> wanted = new ArrayList<>();
    for (Registry.DocumentRows document : known) {
      for (RegistryRow row : document.rows().values()) {
        if (row.isAlive(reader.now())) {
          wanted.add(new Registry.BodyId(document.pk(), row.tuple().epoch()));
        }
      }
    }
    List<Optional<Registry.Body>> values = registry.bodies(reader, wanted);
    Map<Registry.BodyId, Optional<Registry.Body>> bodies = new HashMap<>();
    for (int i = 0; i < wanted.size(); i++) {
      bodies.put(wanted.get(i), values.get(i));
    }
    return bodies;
  }

  /// A generation holds the newest row that it can hold, with the newest row's tuple: so what it
  /// holds is decided by the registry alone, and never goes back.
  IndexMessage of(
      Registry.DocumentRows document,
      Epochs.Epoch generation,
      Map<Registry.BodyId, Optional<Registry.Body>> bodies) {
    RegistryRow newest = document.newest().orElseThrow();
    IndexMessage.Builder message = gone(document).toBuilder();
    if (!newest.isAlive(reader.now())) {
      return message.build();
    }
    for (RegistryRow row : document.rows().descendingMap().values()) {
      boolean may = row.isAlive(reader.now()) && row.tuple().epoch() >= generation.number();
      Optional<RawDocument> converted =
          may ? converted(body(document, row, bodies), row, generation) : Optional.empty();
      if (converted.isPresent()) {
        message.setDocument(converted.get());
        message.addAllResources(resources(document, newest, row, bodies));
        // It is not to be found longer than the newest one, either.
        Stream.of(row, newest)
            .flatMap(each -> each.expiresAt().stream())
            .min(Instant::compareTo)
            .map(Expiry::micros)
            .ifPresent(message::setExpiresMicros);
        return message.build();
      }
    }
    return message.build();
  }

  /// That nothing can be found of a document in its newest state.
  IndexMessage gone(Registry.DocumentRows document) {
    RegistryRow newest = document.newest().orElseThrow();
    VersionTuple tuple = newest.tuple();
    IndexMessage.Builder message =
        IndexMessage.newBuilder()
            .setPk(document.pk())
            .setEpoch(tuple.epoch())
            .setVersion(tuple.version())
            .setModifiedMicros(tuple.modifiedMicros());
    settings
        .flatMap(
            each ->
                TombstoneRetention.until(
                    each,
                    // As the registry remembers it, whenever this is sent.
                    newest.acceptedAt(),
                    newest,
                    document.rows().headMap(tuple.epoch()).values()))
        .map(Expiry::micros)
        .ifPresent(message::setRememberedMicros);
    return message.build();
  }

  /// What the newest row names as resources counts, whatever is shown; and what the row that is
  /// shown does: who may not read it does not get to by what became of the document since.
  private List<String> resources(
      Registry.DocumentRows document,
      RegistryRow newest,
      RegistryRow shown,
      Map<Registry.BodyId, Optional<Registry.Body>> bodies) {
    if (settings.isEmpty() || settings.get().resourceField().isEmpty()) {
      return List.of();
    }
    List<List<String>> each =
        Stream.of(newest, shown)
            .distinct()
            .map(row -> body(document, row, bodies))
            .map(body -> DocumentResources.of(settings.get(), document.pk(), body))
            .toList();
    return each.stream().anyMatch(List::isEmpty)
        ? List.of()
        : each.stream().flatMap(List::stream).distinct().toList();
  }

  private RawDocument body(
      Registry.DocumentRows document,
      RegistryRow row,
      Map<Registry.BodyId, Optional<Registry.Body>> bodies) {
    Registry.BodyId id = new Registry.BodyId(document.pk(), row.tuple().epoch());
    if (last.filter(each -> each.id.equals(id)).isEmpty()) {
      Registry.Body read =
          bodies
              .getOrDefault(id, Optional.empty())
              .orElseThrow(() -> DocumentRegistry.corrupt("the body of a document is missing"));
      last = Optional.of(new Unpacked(id, read.document()));
    }
    return last.orElseThrow().document;
  }

  private Optional<RawDocument> converted(
      RawDocument body, RegistryRow row, Epochs.Epoch generation) {
    boolean own = row.tuple().epoch() == generation.number();
    Schema schema = own ? generation.schema() : generation.forLater().orElse(generation.schema());
    return converter.convert(body, schema, own);
  }
}
