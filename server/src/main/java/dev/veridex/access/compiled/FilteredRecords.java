package dev.veridex.access.compiled;

import java.util.Arrays;

/// The records of an object that apply only under a filter, grouped by filter.
///
/// @param restricting how many of its sets restrict
/// @param closing how many of its sets close something
record FilteredRecords(
    int[] filters,
    RecordSet[] permissions,
    RecordSet[] own,
    int restricting,
    int closing,
    long setBytes) {
  static final FilteredRecords NONE =
      new FilteredRecords(new int[0], new RecordSet[0], new RecordSet[0], 0, 0, 0);

  RecordSet permissions(int filter) {
    int position = Arrays.binarySearch(filters, filter);
    return position < 0 ? RecordSet.Some.NONE : permissions[position];
  }

  RecordSet own(int filter) {
    int position = Arrays.binarySearch(filters, filter);
    return position < 0 ? RecordSet.Some.NONE : own[position];
  }

  /// The same with other records of a filter.
  FilteredRecords with(int filter, RecordSet itsPermissions, RecordSet itsOwn) {
    int found = Arrays.binarySearch(filters, filter);
    boolean empty = itsPermissions.isEmpty() && itsOwn.isEmpty();
    int position = found < 0 ? -found - 1 : found;
    int after = found < 0 ? position : position + 1;
    int length = position + (empty ? 0 : 1) + filters.length - after;
    if (length == 0) {
      return NONE;
    }
    int rest = filters.length - after;
    int[] names = Arrays.copyOf(filters, length);
    RecordSet[] both = Arrays.copyOf(permissions, length);
    RecordSet[] owns = Arrays.copyOf(own, length);
    System.arraycopy(filters, after, names, length - rest, rest);
    System.arraycopy(permissions, after, both, length - rest, rest);
    System.arraycopy(own, after, owns, length - rest, rest);
    if (!empty) {
      names[position] = filter;
      both[position] = itsPermissions;
      owns[position] = itsOwn;
    }
    RecordSet wasBoth = permissions(filter);
    RecordSet wasOwn = own(filter);
    return new FilteredRecords(
        names,
        both,
        owns,
        restricting
            + restricting(itsPermissions)
            + restricting(itsOwn)
            - restricting(wasBoth)
            - restricting(wasOwn),
        closing + closing(itsPermissions) + closing(itsOwn) - closing(wasBoth) - closing(wasOwn),
        setBytes + itsPermissions.bytes() + itsOwn.bytes() - wasBoth.bytes() - wasOwn.bytes());
  }

  boolean isEmpty() {
    return filters.length == 0;
  }

  private static int restricting(RecordSet set) {
    return set.restricts() ? 1 : 0;
  }

  private static int closing(RecordSet set) {
    return set.closed() != 0 ? 1 : 0;
  }

  boolean closes() {
    return closing > 0;
  }

  boolean restricts() {
    return restricting > 0;
  }

  /// Whether any record names an id.
  boolean names(int id) {
    for (int i = 0; i < filters.length; i++) {
      if (permissions[i].find(id) != PackedRecord.NONE || own[i].find(id) != PackedRecord.NONE) {
        return true;
      }
    }
    return false;
  }

  long bytes() {
    return isEmpty() ? 0 : 72 + 12L * filters.length + setBytes;
  }
}
