package dev.veridex.access.compiled;

import org.jspecify.annotations.Nullable;

/// An immutable in-memory state of an access index. [AccessIndexEdit] makes the next one, which
/// shares all pages with it but those that a change touches.
public final class CompiledIndex {
  public static final int PAGE_SHIFT = 9;
  public static final int PAGE = 1 << PAGE_SHIFT;

  /// The kind of a record: permission, membership or filter.
  public enum Table {
    /// Permissions on objects.
    PERMISSION,
    /// In which groups something is.
    MEMBERSHIP,
    /// Which filters an object has, or what a filter says of a subject.
    FILTER
  }

  private final IdDictionary names;
  private final int everything;
  private final @Nullable IdRecords[][] pages;
  private final RecordSet restricting;
  private final RecordSet exclusive;
  private final int entries;
  private final long records;
  private final long bytes;

  /// @param everything the number of the group that everything is in
  /// @param restricting the ids of what may take rights away from somebody
  /// @param exclusive the ids of what is in a group exclusively
  CompiledIndex(
      IdDictionary names,
      int everything,
      @Nullable IdRecords[][] pages,
      RecordSet restricting,
      RecordSet exclusive,
      int entries,
      long records,
      long bytes) {
    this.names = names;
    this.everything = everything;
    this.pages = pages;
    this.restricting = restricting;
    this.exclusive = exclusive;
    this.entries = entries;
    this.records = records;
    this.bytes = bytes;
  }

  /// One without any record.
  ///
  /// @param everything the group that everything is in
  public static CompiledIndex empty(String everything) {
    IdDictionary names = new IdDictionary();
    return new CompiledIndex(
        names,
        names.intern(everything),
        new IdRecords[0][],
        RecordSet.Some.NONE,
        RecordSet.Some.NONE,
        0,
        0,
        0);
  }

  /// The same state, of which others can be made that have nothing to do with those of this one: to
  /// try things out.
  public CompiledIndex fork() {
    return new CompiledIndex(
        names.fork(), everything, pages, restricting, exclusive, entries, records, bytes);
  }

  /// An edit that makes the next state.
  public AccessIndexEdit edit() {
    return new AccessIndexEdit(this);
  }

  /// How many records it has.
  public long records() {
    return records;
  }

  /// How many ids it says anything of.
  public int entries() {
    return entries;
  }

  /// Works out beforehand what lists need.
  public void prepare() {
    names.order();
  }

  /// About how much memory it takes.
  public long bytes() {
    return names.bytes() + 4L * PAGE * pages.length + bytes;
  }

  /// How many names it knows, those that nothing is about any more among them.
  public int names() {
    return names.size();
  }

  /// Whether any record is about a resource.
  public boolean isObject(String resource) {
    return entry(names.find(resource)).isObject();
  }

  public IdDictionary dictionary() {
    return names;
  }

  public int everything() {
    return everything;
  }

  /// All numbers of names that it says anything of are below this.
  public int bound() {
    return pages.length << PAGE_SHIFT;
  }

  @Nullable
  public IdRecords[][] pages() {
    return pages;
  }

  public RecordSet restricting() {
    return restricting;
  }

  RecordSet exclusive() {
    return exclusive;
  }

  long entryBytes() {
    return bytes;
  }

  public IdRecords entry(int id) {
    int page = id >> PAGE_SHIFT;
    if (id < 0 || page >= pages.length) {
      return IdRecords.NONE;
    }
    IdRecords found = pages[page][id & (PAGE - 1)];
    return found == null ? IdRecords.NONE : found;
  }
}
