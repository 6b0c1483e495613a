package dev.veridex.access.visibility;

import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.compiled.IdDictionary;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The folders of object stores among the ids of an index: whatever lies below one is in it without
/// any statement.
final class FolderDictionary {
  private @Nullable IdDictionary dictionary;
  private int size;
  private int[] more = new int[16];
  private int found;
  private int[] numbers = new int[0];

  /// The numbers of all folders, in their order.
  @SuppressWarnings("ReferenceEquality") // All states of an index share a dictionary.
  synchronized int[] of(IdDictionary names) {
    int count = names.size();
    if (dictionary != names) {
      dictionary = names;
      size = 0;
      numbers = new int[0];
      found = 0;
    }
    for (; size < count; size++) {
      if (CheckRequest.isFolder(names.name(size))) {
        if (found == more.length) {
          more = Arrays.copyOf(more, 2 * found);
        }
        more[found++] = size;
      }
    }
    if (numbers.length < found) {
      numbers = Arrays.copyOf(more, found);
    }
    return numbers;
  }

  /// The folder that a resource lies in, of those that an index knows the smallest one; or
  /// [IdDictionary#UNKNOWN].
  static int smallest(IdDictionary names, String resource) {
    int smallest = IdDictionary.UNKNOWN;
    for (String folder : CheckRequest.folders(resource)) {
      int number = folder.equals(resource) ? IdDictionary.UNKNOWN : names.find(folder);
      smallest = number == IdDictionary.UNKNOWN ? smallest : number;
    }
    return smallest;
  }

  /// A folder and all that it lies in, of those that an index knows.
  static int[] chain(IdDictionary names, int folder) {
    return CheckRequest.folders(names.name(folder)).stream()
        .mapToInt(names::find)
        .filter(number -> number != IdDictionary.UNKNOWN)
        .toArray();
  }
}
