package dev.veridex.access.check;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Rights that are given for a while, beside the statements: approvals, and memberships that are
/// relationships. Only those that are alive are ever told.
public interface LiveGrants {
  /// A temporary grant of rights to one subject on one resource.
  ///
  /// @param rights that it gives
  record Approval(int rights, Optional<Instant> expiresAt) {}

  /// A membership relationship, with all rights.
  record Membership(String group, Optional<Instant> expiresAt) {}

  /// The approvals of exactly this subject on exactly this resource.
  List<Approval> approvals(String subject, String resource);

  /// The groups that something is directly in.
  List<Membership> memberships(String member);

  /// Where nobody gives any.
  LiveGrants NONE =
      new LiveGrants() {
        @Override
        public List<Approval> approvals(String subject, String resource) {
          return List.of();
        }

        @Override
        public List<Membership> memberships(String member) {
          return List.of();
        }
      };
}
