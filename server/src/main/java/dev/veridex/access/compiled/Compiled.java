package dev.veridex.access.compiled;

import org.jspecify.annotations.Nullable;

/// One state of an access index. It never changes; [Edit] makes the next one, which shares with it
/// all but the pages that a change touches.
public final class Compiled {
  static final int PAGE_SHIFT = 9;
  static final int PAGE = 1 << PAGE_SHIFT;

  /// What a record is about.
  public enum Table {
    /// Who may do what to an object.
    PERMISSION,
    /// In which groups something is.
    MEMBERSHIP,
    /// Which filters an object has, or what a filter says of a subject.
    FILTER
  }

  private final Names names;
  private final int everything;
  private final @Nullable Entry[][] pages;
  private final RecordSet restricting;
  private final RecordSet exclusive;
  private final int entries;
  private final long records;
  private final long bytes;

  /// @param everything the number of the group that everything is in
  /// @param restricting the ids of what may take rights away from somebody
  /// @param exclusive the ids of what is in a group exclusively
  Compiled(
      Names names,
      int everything,
      @Nullable Entry[][] pages,
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
  public static Compiled empty(String everything) {
    Names names = new Names();
    return new Compiled(
        names,
        names.intern(everything),
        new Entry[0][],
        RecordSet.Some.NONE,
        RecordSet.Some.NONE,
        0,
        0,
        0);
  }

  /// The same state, of which others can be made that have nothing to do with those of this one: to
  /// try things out.
  public Compiled fork() {
    return new Compiled(
        names.fork(), everything, pages, restricting, exclusive, entries, records, bytes);
  }

  /// What makes the next state.
  public Edit edit() {
    return new Edit(this);
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

  Names dictionary() {
    return names;
  }

  int everything() {
    return everything;
  }

  /// All numbers of names that it says anything of are below this.
  int bound() {
    return pages.length << PAGE_SHIFT;
  }

  @Nullable Entry[][] pages() {
    return pages;
  }

  RecordSet restricting() {
    return restricting;
  }

  RecordSet exclusive() {
    return exclusive;
  }

  long entryBytes() {
    return bytes;
  }

  Entry entry(int id) {
    int page = id >> PAGE_SHIFT;
    if (id < 0 || page >= pages.length) {
      return Entry.NONE;
    }
    Entry found = pages[page][id & (PAGE - 1)];
    return found == null ? Entry.NONE : found;
  }
}
