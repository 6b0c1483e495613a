package dev.veridex.objects.catalogue;

import dev.veridex.objects.event.EventReason;
import dev.veridex.objects.event.EventType;
import dev.veridex.objects.event.ObjectEvent;
import dev.veridex.objects.event.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// A catalogue as docs/objects.md describes it, slow and obvious: all events, and everything
/// derived from them anew.
final class CatalogueModel {
  private static final String NONE = "0".repeat(30);

  private final Map<ObjectEvent.Identity, ObjectEvent> events = new HashMap<>();

  void add(ObjectEvent event) {
    events.merge(event.identity(), event, ObjectEvent::merged);
  }

  /// What is known of events up to a time of the object store.
  CatalogueModel happenedBy(Instant time) {
    CatalogueModel then = new CatalogueModel();
    events.values().stream().filter(event -> !event.time().isAfter(time)).forEach(then::add);
    return then;
  }

  /// An event with its sequencer: padded digits, how many of them it has, and the rank of a
  /// generated one.
  private record Numbered(ObjectEvent event, String base, int digits, long rank) {
    private String text() {
      if (rank == 0) {
        return base.substring(0, digits);
      }
      StringBuilder hex = new StringBuilder();
      for (int i = 0; i < 8; i++) {
        hex.append("%02x".formatted(rank >>> (8 * i) & 0xFF));
      }
      return base + "-" + hex;
    }

    private boolean isTransition() {
      return rank > 0 && isTransitional(event);
    }
  }

  private static boolean isTransitional(ObjectEvent event) {
    return Set.of(
            EventReason.RESTORED, EventReason.RESTORE_EXPIRED, EventReason.STORAGE_CLASS_CHANGED)
        .contains(event.details().reason());
  }

  private static final Comparator<Numbered> ORDER =
      Comparator.comparing(Numbered::base)
          .thenComparingInt(Numbered::digits)
          .thenComparingLong(Numbered::rank)
          .thenComparing(each -> each.event.identity().type());

  private static final Comparator<ObjectEvent> BY_TIME =
      Comparator.comparing(ObjectEvent::time)
          .thenComparing(event -> event.identity().type().text())
          .thenComparing(event -> event.details().reason().text());

  private static String padded(ObjectEvent event) {
    String text = event.sequencer().orElseThrow().text();
    return text + "0".repeat(30 - text.length());
  }

  private List<ObjectEvent> of(ObjectKey object) {
    return events.values().stream()
        .filter(event -> event.identity().object().equals(object))
        .toList();
  }

  private List<Numbered> version(ObjectKey object, String version) {
    List<ObjectEvent> all = of(object);
    List<ObjectEvent> own =
        all.stream().filter(event -> event.identity().versionId().equals(version)).toList();
    boolean hasNative = own.stream().anyMatch(event -> event.sequencer().isPresent());
    Optional<Instant> marker =
        own.stream()
            .filter(event -> event.sequencer().isEmpty() && event.details().marker())
            .map(ObjectEvent::time)
            .min(Comparator.naturalOrder());
    List<Numbered> numbered = new ArrayList<>();
    Map<String, Long> ranks = new HashMap<>();
    for (ObjectEvent event : own.stream().sorted(BY_TIME).toList()) {
      if (event.sequencer().isPresent()) {
        int digits = event.sequencer().get().text().length();
        numbered.add(new Numbered(event, padded(event), digits, 0));
        continue;
      }
      Collection<ObjectEvent> among = own;
      if (isTransitional(event)) {
        among = own.stream().filter(each -> each.identity().type() == EventType.CREATED).toList();
      } else if (!hasNative && marker.filter(time -> !time.isAfter(event.time())).isPresent()) {
        among = all;
      }
      Optional<ObjectEvent> base =
          among.stream()
              .filter(each -> each.sequencer().isPresent() && !each.time().isAfter(event.time()))
              .max(Comparator.comparing(each -> each.sequencer().orElseThrow()));
      String text = base.map(CatalogueModel::padded).orElse(NONE);
      int digits = base.map(each -> each.sequencer().orElseThrow().text().length()).orElse(0);
      numbered.add(new Numbered(event, text, digits, ranks.merge(text + digits, 1L, Long::sum)));
    }
    numbered.sort(ORDER);
    return numbered;
  }

  /// The row that decides about a version: the last one, but a transition never undoes a deletion.
  private static Numbered top(List<Numbered> version) {
    Optional<Numbered> said = version.stream().filter(each -> !each.isTransition()).max(ORDER);
    return said.filter(each -> each.event.identity().type() == EventType.DELETED)
        .orElseGet(() -> version.getLast());
  }

  /// Where a version stands among those of its object: a transition moves none.
  private static Numbered place(List<Numbered> version) {
    return version.stream()
        .filter(each -> !each.isTransition())
        .max(ORDER)
        .orElseGet(version::getLast);
  }

  private static final Comparator<Numbered> VERSIONS =
      Comparator.comparing(Numbered::base)
          .thenComparingInt(Numbered::digits)
          .thenComparing(each -> each.rank > 0)
          .thenComparing(each -> each.event.time())
          .thenComparing(each -> each.rank > 0 ? each.event.identity().type().text() : "")
          .thenComparing(each -> each.rank > 0 ? each.event.details().reason().text() : "")
          .thenComparing(each -> each.event.identity().versionId());

  private Optional<ObjectEvent.Identity> current(ObjectKey object) {
    Set<String> versions = new TreeSet<>();
    of(object).forEach(event -> versions.add(event.identity().versionId()));
    return versions.stream()
        .map(version -> version(object, version))
        .filter(
            version -> {
              ObjectEvent top = top(version).event;
              return top.identity().type() == EventType.CREATED || top.details().marker();
            })
        .max(Comparator.comparing(CatalogueModel::place, VERSIONS))
        .map(version -> top(version).event)
        .filter(event -> event.identity().type() == EventType.CREATED)
        .map(ObjectEvent::identity);
  }

  /// The current rows.
  Set<ObjectEvent.Identity> current() {
    Set<ObjectEvent.Identity> current = new HashSet<>();
    objects().forEach(object -> current(object).ifPresent(current::add));
    return current;
  }

  private Set<ObjectKey> objects() {
    Set<ObjectKey> objects = new HashSet<>();
    events.keySet().forEach(identity -> objects.add(identity.object()));
    return objects;
  }

  /// All rows, as text.
  List<String> rows(boolean paired) {
    List<String> rows = new ArrayList<>();
    Set<ObjectEvent.Identity> current = current();
    for (ObjectKey object : objects()) {
      Set<String> versions = new TreeSet<>();
      of(object).forEach(event -> versions.add(event.identity().versionId()));
      for (String version : versions) {
        List<Numbered> numbered = version(object, version);
        for (int i = 0; i < numbered.size(); i++) {
          Numbered each = numbered.get(i);
          boolean created = each.event.identity().type() == EventType.CREATED;
          boolean ended =
              paired
                  && created
                  && i + 1 < numbered.size()
                  && numbered.get(i + 1).event.identity().type() == EventType.DELETED;
          rows.add(
              "%s %s..%s current=%s"
                  .formatted(
                      each.event.identity(),
                      paired && !created ? "null" : each.text(),
                      ended
                          ? numbered.get(i + 1).text()
                          : paired && !created ? each.text() : "null",
                      current.contains(each.event.identity())));
          i += ended ? 1 : 0;
        }
      }
    }
    return rows;
  }

  /// A row of the product, as text.
  static String text(ObjectRow row) {
    return "%s %s..%s current=%s"
        .formatted(
            row.identity(),
            row.sequencer().orElse("null"),
            row.deletion().map(ObjectRow.Deletion::sequencer).orElse("null"),
            row.isCurrent());
  }
}
