package dev.veridex.objects;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Expiry;
import dev.veridex.common.KeyWriter;
import dev.veridex.common.Problem;
import dev.veridex.common.SpellingSuggestion;
import dev.veridex.common.VeridexException;
import dev.veridex.objects.catalogue.ObjectRow;
import dev.veridex.objects.event.EventPlace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// An order of rows by fields, each upwards or, with a minus, downwards. What lacks a field comes
/// last; what is equal goes by bucket, key and id.
public final class ObjectOrder {
  private static final int PRESENT = 0;
  private static final int ABSENT = 1;
  private static final int SHOWN = 60;

  private final List<SortField> fields;

  private ObjectOrder(List<SortField> fields) {
    this.fields = List.copyOf(fields);
  }

  private record SortField(ObjectField field, boolean descending) {}

  /// The order that a text says, as `-size,key`.
  ///
  /// @throws VeridexException `BAD_REQUEST`
  public static ObjectOrder of(String text) {
    List<SortField> fields = new ArrayList<>();
    String[] parts = text.split(",", -1);
    if (parts.length > ObjectField.values().length) {
      throw unknown(text.substring(0, Math.min(text.length(), SHOWN)));
    }
    for (String part : parts) {
      boolean descending = part.startsWith("-");
      String name = descending ? part.substring(1) : part;
      fields.add(new SortField(ObjectField.of(name).orElseThrow(() -> unknown(name)), descending));
    }
    return new ObjectOrder(fields);
  }

  private static VeridexException unknown(String name) {
    Problem problem =
        Problem.of(ErrorCode.BAD_REQUEST, "Rows have no field \"%s\" to sort by.".formatted(name))
            .with("parameter", "sort");
    return new VeridexException(
        SpellingSuggestion.nearest(
                name, Arrays.stream(ObjectField.values()).map(ObjectField::text).toList())
            .map(near -> problem.with("didYouMean", near))
            .orElse(problem));
  }

  /// The place of a row: in the order of unsigned bytes.
  byte[] place(ObjectRow row) {
    KeyWriter out = new KeyWriter();
    for (SortField each : fields) {
      each.field
          .comparable(row)
          .ifPresentOrElse(
              value -> {
                out.octet(PRESENT);
                if (each.descending) {
                  out.descending(more -> write(more, value));
                } else {
                  write(out, value);
                }
              },
              () -> out.octet(ABSENT));
    }
    return out.string(row.object().bucket())
        .string(row.object().key())
        .string(row.id().toString())
        .toKey();
  }

  private static void write(KeyWriter out, Comparable<?> value) {
    switch (value) {
      case Long number -> out.signed(number);
      case Instant time -> out.signed(Expiry.micros(time));
      case Boolean flag -> out.octet(flag ? 1 : 0);
      case EventPlace place -> place.base().write(out).unsigned(place.rank());
      default -> out.string(value.toString());
    }
  }
}
