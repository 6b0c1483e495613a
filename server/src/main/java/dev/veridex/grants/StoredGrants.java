package dev.veridex.grants;

import dev.veridex.access.GrantSource;
import dev.veridex.access.ledger.GrantedRight;
import dev.veridex.common.KeyReader;
import dev.veridex.common.Scope;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Reader;
import java.util.function.Consumer;

/// The stored grants, as access indexes are derived from them.
public final class StoredGrants implements GrantSource {
  private final GrantRecords records;

  public StoredGrants(Incarnations incarnations) {
    this.records = new GrantRecords(incarnations);
  }

  @Override
  public void each(Reader reader, Scope scope, Consumer<GrantedRight> visitor) {
    for (GrantKind kind : GrantKind.values()) {
      byte[] prefix = records.prefix(reader, kind.records(), scope);
      try (Cursor cursor = reader.scan(KeyRange.prefix(prefix), Direction.FORWARD)) {
        while (cursor.next()) {
          KeyReader in = new KeyReader(cursor.key(), prefix.length);
          GrantKey key = new GrantKey(kind, in.string(), in.string(), in.string());
          GrantRecords.decodeBare(scope, key, cursor.value()).granted().ifPresent(visitor);
        }
      }
    }
  }

  @Override
  public boolean gives(Reader reader, Scope scope, GrantedRight right) {
    String object = right.id().key().object();
    String subject = right.id().subject();
    GrantKey key =
        right.isApproval()
            ? GrantKey.approval(subject, object, right.name())
            : GrantKey.relationship(object, right.name(), subject);
    return records.find(reader, scope, key).flatMap(Grant::granted).isPresent();
  }
}
