package dev.veridex.access;

import dev.veridex.access.check.CheckRequest;
import dev.veridex.access.check.RightsPage;
import dev.veridex.access.compiled.CompiledCheck;
import dev.veridex.access.compiled.RightsLister;
import dev.veridex.acl.RefusedException;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.identity.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Lists on what a subject has rights, and who has rights on a resource; they always agree with the
/// check.
public final class RightsLists {
  private final AccessIndexStates states;
  private final StoredResources items;

  public RightsLists(AccessIndexStates states, StoredResources items) {
    this.states = states;
    this.items = items;
  }

  /// A request for a list of resources or subjects.
  ///
  /// @param id whose list it is: a subject's, or a resource's
  /// @param rights all of which have to be there
  /// @param bucket in which the resources are
  /// @param enumerate whether to list the ids on which there are rights also where these are on
  ///   everything
  public record ListRequest(
      String id, int rights, Optional<String> bucket, AsOf moment, boolean enumerate) {}

  /// The number that tells an index from one that was deleted with its namespace.
  public long incarnation(Namespace namespace) {
    return states.incarnation(namespace);
  }

  /// The resources on which a subject has rights, out of those that any record is about and those
  /// that are stored; if the subject has them on everything, those on which it has not.
  ///
  /// @param after the id to begin after; empty for the first part
  public AtRevision<RightsPage> resources(
      Caller caller, Namespace namespace, ListRequest wanted, String after, int limit) {
    RightsChecker.requireMayAsk(caller, namespace.scope(), wanted.id);
    try (AccessIndexState state = states.open(namespace, wanted.moment)) {
      Optional<CompiledCheck> compiled = state.compiledCheck();
      if (compiled.isEmpty()) {
        RightsPage part =
            new StoredRightsLister(state.index(), state.view(), wanted.bucket)
                .resources(wanted.id, wanted.rights, wanted.enumerate, after, limit);
        return new AtRevision<>(
            withItems(part, state, caller, namespace, wanted, after, limit), state.revision());
      }
      CompiledCheck check = compiled.get();
      check.implicit(CheckRequest.of(wanted.id, "", Optional.empty(), wanted.bucket).implicit());
      RightsPage part =
          new RightsLister(check, CheckRequest::folders)
              .resources(wanted.id, wanted.rights, wanted.enumerate, after, limit);
      return new AtRevision<>(
          withItems(part, state, caller, namespace, wanted, after, limit),
          state.compiledRevision());
    }
  }

  /// Adds what is stored and no record is about. The subject has the same rights on all of that, so
  /// that it is listed only where rights on everything are enumerated.
  private RightsPage withItems(
      RightsPage part,
      AccessIndexState state,
      Caller caller,
      Namespace namespace,
      ListRequest wanted,
      String after,
      int limit) {
    if (!part.all() || !wanted.enumerate) {
      return part;
    }
    List<RightsPage> parts = new ArrayList<>();
    parts.add(part);
    for (Page<String> page :
        items.list(state.snapshot(), caller, namespace, wanted.bucket, after, limit)) {
      List<String> ids = page.items().stream().filter(id -> !state.bearsRecord(id)).toList();
      parts.add(new RightsPage(true, ids, page.cursor(), false));
    }
    return RightsPage.merge(parts, limit);
  }

  /// The subjects with rights on a resource.
  ///
  /// @throws RefusedException unless the caller may ask for everybody
  public AtRevision<RightsPage> subjects(
      Caller caller, Namespace namespace, ListRequest wanted, String after, int limit) {
    if (!caller.mayActForOthers(namespace.scope())) {
      throw new RefusedException(
          Problem.of(
              ErrorCode.FORBIDDEN,
              "to ask for others takes an administrator, or a service that may impersonate"));
    }
    try (AccessIndexState state = states.open(namespace, wanted.moment)) {
      Optional<CompiledCheck> compiled = state.compiledCheck();
      if (compiled.isEmpty()) {
        return new AtRevision<>(
            new StoredRightsLister(state.index(), state.view(), wanted.bucket)
                .subjects(wanted.id, wanted.rights, after, limit),
            state.revision());
      }
      CompiledCheck check = compiled.get();
      check.implicit(CheckRequest.of("", wanted.id, Optional.empty(), wanted.bucket).implicit());
      return new AtRevision<>(
          new RightsLister(check, CheckRequest::folders)
              .subjects(wanted.id, wanted.rights, after, limit),
          state.compiledRevision());
    }
  }
}
