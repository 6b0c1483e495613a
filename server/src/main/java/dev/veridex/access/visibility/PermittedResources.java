package dev.veridex.access.visibility;

import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.IdDictionary;
import dev.veridex.index.VisibleResources;

/// The resources on which a subject has a right, in one state of an index: by class, as the check
/// decides.
public final class PermittedResources implements VisibleResources {
  private final Object identity = new Object();
  private final ResourceClasses classified;
  private final IdDictionary names;
  private final ClassDecider deciding;
  private final boolean others;
  private final boolean nothing;
  private final boolean everything;
  private final int[] folders;

  /// @param check whose subject and implicit groups are set, and which nobody else uses any more
  /// @param folders the numbers of all folders
  /// @param most so many permissions of the subject are looked at beforehand
  PermittedResources(
      CompiledCheck check, ResourceClasses classified, int[] folders, int right, int most) {
    this.folders = folders;
    this.classified = classified;
    this.names = classified.index().dictionary();
    this.others = (check.rights(IdDictionary.UNKNOWN) & right) == right;
    this.nothing = !check.isNamed();
    this.everything = others && !check.isKeptOut() && classified.index().restricting().isEmpty();
    this.deciding = new ClassDecider(check, classified, right, most);
  }

  @Override
  public Object numbering() {
    return names;
  }

  @Override
  public Object identity() {
    return identity;
  }

  @Override
  public int size() {
    return names.size();
  }

  @Override
  public int find(String resource) {
    return names.find(resource);
  }

  @Override
  public String name(int number) {
    return names.name(number);
  }

  @Override
  public boolean test(int number) {
    int of = classified.of(number);
    if (ResourceClasses.isIn(of)) {
      return deciding.in(ResourceClasses.group(of));
    }
    return switch (of) {
      case ResourceClasses.NOTHING -> others;
      case ResourceClasses.OWN -> deciding.own(number);
      default -> deciding.shared(of);
    };
  }

  @Override
  public int[] prefixes() {
    return folders;
  }

  @Override
  public boolean test(int number, int folder) {
    int of = classified.of(number);
    return of == ResourceClasses.NOTHING
        ? deciding.below(folder)
        : deciding.below(folder, number, of);
  }

  @Override
  public boolean sees(String resource) {
    int folder = FolderDictionary.smallest(names, resource);
    return folder == IdDictionary.UNKNOWN
        ? test(names.find(resource))
        : test(names.find(resource), folder);
  }

  @Override
  public boolean isQuick() {
    return deciding.isQuick();
  }

  @Override
  public boolean isNothing() {
    return nothing;
  }

  @Override
  public boolean isEverything() {
    return everything;
  }

  /// About how much memory it takes by now.
  long bytes() {
    return 64 + deciding.bytes();
  }
}
