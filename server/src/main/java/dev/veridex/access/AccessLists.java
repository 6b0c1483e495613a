package dev.veridex.access;

import dev.veridex.access.compiled.Compiled;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.Listing;
import dev.veridex.access.compiled.Listing.Part;
import dev.veridex.accounts.AccessRefused;
import dev.veridex.accounts.Caller;
import dev.veridex.accounts.Place;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Lists on what a subject has rights, and who has rights on a resource; they always agree with the
/// check.
public final class AccessLists {
  private final AccessStates states;
  private final StoredItems items;

  public AccessLists(AccessStates states, StoredItems items) {
    this.states = states;
    this.items = items;
  }

  /// What is listed.
  ///
  /// @param id whose list it is: a subject's, or a resource's
  /// @param rights all of which have to be there
  /// @param bucket in which the resources are
  /// @param enumerate whether to list the ids on which there are rights also where these are on
  ///   everything
  public record Wanted(
      String id, int rights, Optional<String> bucket, Moment moment, boolean enumerate) {}

  /// The number that tells an index from one that was deleted with its place.
  public long incarnation(Place place) {
    return states.incarnation(place);
  }

  /// The resources on which a subject has rights, out of those that any record is about and those
  /// that are stored; if the subject has them on everything, those on which it has not.
  ///
  /// @param after the id to begin after; empty for the first part
  public At<Part> resources(Caller caller, Place place, Wanted wanted, String after, int limit) {
    AccessAnswers.mayAsk(caller, place.scope(), wanted.id);
    try (AccessState state = states.open(place, wanted.moment)) {
      Optional<Compiled> compiled = state.compiled();
      if (compiled.isEmpty()) {
        Part part =
            new StoredListing(state.index(), state.view(), wanted.bucket)
                .resources(wanted.id, wanted.rights, wanted.enumerate, after, limit);
        return new At<>(
            withItems(part, state, caller, place, wanted, after, limit), state.revision());
      }
      CompiledCheck check = new CompiledCheck(compiled.get());
      check.implicit(Question.of(wanted.id, "", Optional.empty(), wanted.bucket).implicit());
      Part part =
          new Listing(check, Question::folders)
              .resources(wanted.id, wanted.rights, wanted.enumerate, after, limit);
      return new At<>(
          withItems(part, state, caller, place, wanted, after, limit), state.compiledRevision());
    }
  }

  /// Adds what is stored and no record is about. The subject has the same rights on all of that, so
  /// that it is listed only where rights on everything are enumerated.
  private Part withItems(
      Part part,
      AccessState state,
      Caller caller,
      Place place,
      Wanted wanted,
      String after,
      int limit) {
    if (!part.all() || !wanted.enumerate) {
      return part;
    }
    List<Part> parts = new ArrayList<>();
    parts.add(part);
    for (Page<String> page :
        items.list(state.snapshot(), caller, place, wanted.bucket, after, limit)) {
      List<String> ids = page.items().stream().filter(id -> !state.bearsRecord(id)).toList();
      parts.add(new Part(true, ids, page.cursor(), false));
    }
    return Part.merge(parts, limit);
  }

  /// Those who have rights on a resource.
  ///
  /// @throws AccessRefused unless the caller may ask for everybody
  public At<Part> subjects(Caller caller, Place place, Wanted wanted, String after, int limit) {
    if (!caller.mayActForOthers(place.scope())) {
      throw new AccessRefused(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "to ask for others takes an administrator, or a service that may impersonate"));
    }
    try (AccessState state = states.open(place, wanted.moment)) {
      Optional<Compiled> compiled = state.compiled();
      if (compiled.isEmpty()) {
        return new At<>(
            new StoredListing(state.index(), state.view(), wanted.bucket)
                .subjects(wanted.id, wanted.rights, after, limit),
            state.revision());
      }
      CompiledCheck check = new CompiledCheck(compiled.get());
      check.implicit(Question.of("", wanted.id, Optional.empty(), wanted.bucket).implicit());
      return new At<>(
          new Listing(check, Question::folders).subjects(wanted.id, wanted.rights, after, limit),
          state.compiledRevision());
    }
  }
}
