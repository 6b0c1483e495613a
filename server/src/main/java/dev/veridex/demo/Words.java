package dev.veridex.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;

/// The names and words of the demo company.
record Words(
    List<String> subjects,
    List<String> places,
    List<String> titles,
    List<String> sentences,
    List<String> endings) {

  static final Map<String, List<String>> TEAMS = teams();

  static final List<String> KINDS =
      List.of("report", "memo", "contract", "design", "policy", "incident", "offer", "minutes");

  static final List<String> TITLES =
      List.of("Engineer", "Analyst", "Manager", "Specialist", "Lead", "Assistant", "Director");

  static final List<String> FIRST =
      List.of(
          "Anna", "Boris", "Carla", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Irina", "Jonas",
          "Katya", "Leon", "Maria", "Nikolai", "Olga", "Pavel", "Quentin", "Rosa", "Sergei",
          "Tanya", "Ursula", "Viktor", "Wanda", "Xenia", "Yuri", "Zoe");

  static final List<String> LAST =
      List.of(
          "Petrova",
          "Brandt",
          "Castillo",
          "Orlov",
          "Lindqvist",
          "Haddad",
          "Weber",
          "Moreau",
          "Sokolova",
          "Keller",
          "Ivanova",
          "Fischer",
          "Rossi",
          "Volkov",
          "Kuznetsova",
          "Dubois",
          "Tanaka",
          "Smirnov",
          "Okafor",
          "Andersen",
          "Novikova",
          "Silva",
          "Morozov");

  static final Words ENGLISH =
      new Words(
          List.of(
              "the data centre",
              "search",
              "the red bicycle",
              "pricing",
              "travel",
              "the new office",
              "backups",
              "hiring",
              "the supplier",
              "safety",
              "the warehouse",
              "customer surveys",
              "electric cars",
              "the annual budget",
              "privacy",
              "the mobile app"),
          List.of("Berlin", "Lisbon", "Oslo", "Toronto", "Nairobi", "Singapore"),
          List.of("%s: %s in %s", "%2$s, a %1$s from %3$s", "%3$s %1$s on %2$s", "%s on %s (%s)"),
          List.of(
              "We agreed on the next steps for %s and who takes care of them.",
              "The costs of %s were lower than planned, and the savings go into training.",
              "Two risks remain with %s: the schedule, and a supplier who answers late.",
              "Customers asked about %s more often than in any other quarter.",
              "The team measured %s for a month before it changed anything.",
              "What we learned about %s is written down for those who come after us.",
              "A decision about %s is due before the holidays."),
          List.of(
              "Questions go to the author.",
              "The figures are attached.",
              "Please do not forward this outside the team.",
              "The next review is in spring."));

  static final Words RUSSIAN =
      new Words(
          List.of(
              "поиск",
              "дата-центр",
              "красный велосипед",
              "бюджет",
              "командировки",
              "новый офис",
              "резервные копии",
              "поставщик",
              "безопасность",
              "склад",
              "опрос клиентов"),
          List.of("Москва", "Казань", "Алматы", "Ереван", "Рига"),
          List.of("%s: %s, %s", "%2$s (%1$s, %3$s)", "%3$s, %1$s: %2$s"),
          List.of(
              "Мы договорились о следующих шагах по теме «%s» и назначили ответственных.",
              "Расходы по теме «%s» оказались ниже плана, и сбережения пойдут на обучение.",
              "По теме «%s» остаются два риска: сроки и поставщик, который отвечает поздно.",
              "Клиенты спрашивали про «%s» чаще, чем в любом другом квартале.",
              "Команда измеряла «%s» целый месяц, прежде чем что-либо менять.",
              "Решение по теме «%s» нужно принять до праздников."),
          List.of(
              "Вопросы можно задать автору.",
              "Цифры приложены.",
              "Пожалуйста, не пересылайте это за пределы команды."));

  private static Map<String, List<String>> teams() {
    Map<String, List<String>> teams = new LinkedHashMap<>();
    teams.put("Engineering", List.of("Search", "Platform", "Mobile", "Reliability"));
    teams.put("Sales", List.of("Europe", "Asia", "Partners"));
    teams.put("Finance", List.of("Accounting", "Controlling"));
    teams.put("People", List.of("Hiring", "Payroll"));
    teams.put("Legal", List.of("Contracts", "Privacy"));
    teams.put("Operations", List.of("Warehouse", "Travel", "Offices"));
    teams.put("Research", List.of("Batteries", "Bicycles"));
    return teams;
  }

  /// The title of a document.
  String title(String kind, String about, String place) {
    String title =
        titles
            .get(Math.floorMod(31 * about.hashCode() + place.hashCode(), titles.size()))
            .formatted(kind, about, place);
    return Character.toUpperCase(title.charAt(0)) + title.substring(1);
  }

  /// A few sentences.
  String text(Random random, String about) {
    StringJoiner text = new StringJoiner(" ");
    for (int i = random.nextInt(3, 7); i > 0; i--) {
      String what = random.nextInt(3) == 0 ? subjects.get(random.nextInt(subjects.size())) : about;
      text.add(sentences.get(random.nextInt(sentences.size())).formatted(what));
    }
    return text.add(endings.get(random.nextInt(endings.size()))).toString();
  }
}
