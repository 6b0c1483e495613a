package dev.veridex.suite;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

final class SuiteReportTest {
  private static SuiteReport.Costs costs() {
    SuiteReport.Costs costs = new SuiteReport.Costs();
    costs.add("class\tdev.veridex.AclTest\t1500\t2500");
    costs.add("class\tdev.veridex.store.rocks.KillTest\t4000\t6000");
    costs.add("campaign\tdev.veridex.store.rocks.KillTest\tSTORE_KILLS\t300\t9 transactions");
    costs.add("process\t\t0\t10000");
    return costs;
  }

  @Test
  void theDearestClassComesFirstAndTheSumIncludesTheProcesses() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SuiteReport.print(costs(), new PrintStream(out, true, UTF_8));
    assertThat(out.toString(UTF_8).lines().map(String::strip).toList())
        .containsSubsequence(
            "4.0           6.0  store.rocks.KillTest  STORE_KILLS 300",
            "1.5           2.5  AclTest",
            "1.5  starting and ending the processes",
            "5.5          10.0  sum of 2 classes");
  }

  @Test
  void campaignsGoBetweenTheMarksOfAPage() {
    String page = "before\n" + SuiteReport.BEGIN + "\nold\n" + SuiteReport.END + "\nafter\n";
    String written = SuiteReport.withCampaigns(page, "A run.", costs());
    assertThat(written)
        .startsWith("before\n")
        .endsWith("\nafter\n")
        .doesNotContain("old")
        .contains("A run.\n", "| `veridex.store.kills`, KillTest | 300 | 9 transactions | 6 |\n");
    assertThat(SuiteReport.withCampaigns(written, "A run.", costs())).isEqualTo(written);
  }

  @Test
  void aPageWithoutMarksIsRefused() {
    assertThatThrownBy(() -> SuiteReport.withCampaigns("no place", "A run.", costs()))
        .hasMessageContaining("no place");
  }
}
