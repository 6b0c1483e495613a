package dev.veridex.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CampaignTest {
  private static final Path PAGE = Path.of("../docs/reliability.md");

  @ParameterizedTest
  @EnumSource
  void thePageSaysHowMuchIsTried(Campaign campaign) throws IOException {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("| ") && line.contains("`" + campaign.property() + "`"))
            .filter(line -> line.split(" \\| ", -1).length == 5)
            .toList();
    assertThat(rows).hasSize(1);
    String[] cells = rows.getFirst().split(" \\| ", -1);
    List<String> properties = List.of(cells[3].replace("`", "").split(", ", -1));
    int place = properties.indexOf(campaign.property());
    assertThat(number(cells[1], place)).as("in every build").isEqualTo(campaign.usual());
    assertThat(number(cells[2], place)).as("in a long run").isEqualTo(campaign.large());
  }

  private static int number(String cell, int place) {
    return Integer.parseInt(cell.split(" and ", -1)[place].replace(",", ""));
  }
}
