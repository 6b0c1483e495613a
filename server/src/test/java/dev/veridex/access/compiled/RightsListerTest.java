package dev.veridex.access.compiled;

import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.access.check.RightsPage;
import dev.veridex.access.compiled.CompiledIndex.Table;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Lists of a state while others are made of it.
final class RightsListerTest {
  private static final String ALL = "v-s:AllResourcesGroup";
  private static final int READ = 2;
  private static final int NOT_READ = 0x20;

  @Test
  void listsStayCompleteWhileNamesAreAdded() throws InterruptedException {
    AccessIndexEdit edit = CompiledIndex.empty(ALL).edit();
    edit.put(Table.PERMISSION, "", ALL, "u", 0, READ);
    for (int i = 0; i < 200; i++) {
      edit.put(Table.PERMISSION, "", "d" + i, "u", 0, i % 2 == 0 ? NOT_READ : READ);
    }
    CompiledIndex compiled = edit.done();
    AtomicInteger added = new AtomicInteger();
    Thread adding =
        Thread.ofPlatform()
            .start(
                () -> {
                  CompiledIndex next = compiled;
                  for (int i = 0; i < 30_000; i++) {
                    next = next.edit().put(Table.PERMISSION, "", "a" + i, "s", 0, READ).done();
                    added.set(i);
                  }
                });
    while (adding.isAlive()) {
      RightsLister listing = new RightsLister(new CompiledCheck(compiled), _ -> List.of());
      RightsPage part = listing.resources("u", READ, false, "", 1000);
      assertThat(part.all()).isTrue();
      assertThat(part.ids()).as("after %s names", added).hasSize(100);
    }
    adding.join();
  }

  @Test
  void aForkHasNamesOfItsOwn() {
    CompiledIndex compiled =
        CompiledIndex.empty(ALL).edit().put(Table.PERMISSION, "", "d1", "u", 0, READ).done();
    CompiledIndex fork =
        compiled.fork().edit().put(Table.PERMISSION, "", "d3", "forked", 0, READ).done();
    CompiledIndex next = compiled.edit().put(Table.PERMISSION, "", "d2", "next", 0, READ).done();
    assertThat(compiled.names()).isEqualTo(5);
    assertThat(resources(fork, "forked")).containsExactly("d3");
    assertThat(resources(fork, "u")).containsExactly("d1");
    assertThat(resources(fork, "next")).isEmpty();
    assertThat(resources(next, "next")).containsExactly("d2");
    assertThat(resources(next, "forked")).isEmpty();
  }

  private static List<String> resources(CompiledIndex compiled, String subject) {
    return new RightsLister(new CompiledCheck(compiled), _ -> List.of())
        .resources(subject, READ, false, "", 10)
        .ids();
  }
}
