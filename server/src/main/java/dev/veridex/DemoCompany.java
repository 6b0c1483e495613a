package dev.veridex;

import dev.veridex.access.statement.MessageInput;
import dev.veridex.acl.Acl;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ObjectSettings;
import dev.veridex.cli.output.Terminal;
import dev.veridex.common.Namespace;
import dev.veridex.demo.Company;
import dev.veridex.demo.LabStore;
import dev.veridex.documents.receive.DocumentInput;
import dev.veridex.documents.receive.DocumentJson;
import dev.veridex.documents.receive.ReceiveResult;
import dev.veridex.documents.registry.SchemaChange;
import dev.veridex.grants.GrantKey;
import dev.veridex.grants.GrantRequest;
import dev.veridex.grants.GrantWriter;
import dev.veridex.grants.RelationType;
import dev.veridex.identity.Caller;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.TokenRequest;
import dev.veridex.index.FieldKind;
import dev.veridex.index.Schema;
import dev.veridex.objects.event.EventParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Fills a server with the company of the demonstration: what is written there in one bucket, the
/// people in another, and who may read what.
public final class DemoCompany {
  static final String DOCUMENTS = "documents";
  static final String PEOPLE = "people";

  static final String FILES = "files";

  private static final int AT_ONCE = 500;
  private static final int EVENTS = 50_000;
  private static final int EVENTS_AT_ONCE = 1000;

  /// How long what is lent lasts.
  private static final List<Duration> LENT =
      List.of(Duration.ofMinutes(2), Duration.ofMinutes(5), Duration.ofMinutes(15));

  private static final Namespace ACME = new Namespace("acme", Optional.empty());

  private final Domain domain;
  private final Token root;
  private final Terminal terminal;

  public DemoCompany(Domain domain, Token root, Terminal terminal) {
    this.domain = domain;
    this.root = root;
    this.terminal = terminal;
  }

  /// Loads the company into the account, and says what it loaded.
  ///
  /// @param count how many documents there are to be
  public void load(int count) {
    Company company = new Company(count);
    bucket(DOCUMENTS, true);
    bucket(PEOPLE, false);
    domain
        .documents()
        .epochs()
        .settle(Caller.of(root), ACME, DOCUMENTS, 1, SchemaChange.to(schema()));
    receive(PEOPLE, company.directory());
    receive(DOCUMENTS, company.documents());
    catalogue();
    List<MessageInput> statements = company.statements().stream().map(MessageInput::of).toList();
    domain.access().index().put(root, ACME, statements);
    lend(company);
    terminal
        .err()
        .printf(
            "%d people, %d documents, %d events of an object store, %d statements about who may read"
                + " them%n",
            company.people().size(), count, EVENTS, statements.size());
  }

  /// What ends by itself in a few minutes: alice may read three contracts, and stands in for
  /// somebody in accounting.
  private void lend(Company company) {
    TokenRequest request =
        new TokenRequest(
            ACME.scope(),
            false,
            Optional.of("ada"),
            new TreeSet<>(),
            Optional.empty(),
            Set.of(Token.Flag.ADMIN),
            Optional.empty());
    if (!(domain.tenancy().tokens().mint(root, request) instanceof MintResult.Minted ada)) {
      throw new IllegalStateException("no token for ada");
    }
    List<String> contracts = company.first("f:legal/contracts", LENT.size());
    for (int i = 0; i < contracts.size(); i++) {
      give(
          ada.token(),
          GrantKey.approval("alice", contracts.get(i), "read"),
          Optional.empty(),
          LENT.get(i));
    }
    give(
        ada.token(),
        GrantKey.relationship("alice", "stands in", "g:finance/accounting"),
        Optional.of(new RelationType("membership")),
        LENT.getLast());
  }

  private void give(Token ada, GrantKey key, Optional<RelationType> type, Duration life) {
    GrantWriter.Written _ =
        domain
            .grants()
            .writer()
            .give(
                ada,
                new GrantRequest(
                    ACME.scope(),
                    false,
                    key,
                    type,
                    new GrantRequest.WantedLife(Optional.of(life), Optional.empty()),
                    Map.of("ticket", "OPS-1234"),
                    Optional.empty()));
  }

  /// The objects of a laboratory, from events that come in no order, and many of them twice.
  private void catalogue() {
    Bucket.Definition wanted =
        new Bucket.Definition(
            Optional.of(
                new Acl(Map.of(Acl.Action.READ, List.of(DemoCommand.group(Acl.EVERYBODY))))),
            Optional.empty(),
            Optional.of("ada"),
            Map.of(),
            Optional.empty(),
            Bucket.Placement.SHARED,
            ObjectSettings.USUAL);
    domain
        .buckets()
        .buckets()
        .put(
            Caller.of(root),
            ACME,
            FILES,
            ObjectSettings.TYPE,
            wanted,
            Optional.empty(),
            Optional.empty());
    ActingCaller actor = new ActingCaller(Caller.of(root), Optional.empty());
    List<JsonNode> messages = new LabStore(EVENTS).messages();
    for (int from = 0; from < messages.size(); from += EVENTS_AT_ONCE) {
      int to = Math.min(messages.size(), from + EVENTS_AT_ONCE);
      domain
          .objects()
          .receiver()
          .receive(
              actor,
              ACME,
              FILES,
              messages.subList(from, to).stream()
                  .flatMap(message -> EventParser.parse(message).stream())
                  .toList());
      terminal.progress("%d of %d events".formatted(to, messages.size()));
    }
    terminal.endProgress();
  }

  private void bucket(String name, boolean itemAccess) {
    DocumentSettings usual = DocumentSettings.USUAL;
    Bucket.Definition wanted =
        new Bucket.Definition(
            Optional.of(
                new Acl(Map.of(Acl.Action.READ, List.of(DemoCommand.group(Acl.EVERYBODY))))),
            Optional.empty(),
            Optional.of("ada"),
            Map.of(),
            Optional.empty(),
            Bucket.Placement.SHARED,
            new DocumentSettings(
                itemAccess,
                "",
                Optional.empty(),
                usual.tombstoneRetention(),
                false,
                Optional.empty()));
    domain
        .buckets()
        .buckets()
        .put(
            Caller.of(root),
            ACME,
            name,
            DocumentSettings.TYPE,
            wanted,
            Optional.empty(),
            Optional.empty());
  }

  private static Schema schema() {
    Map<String, Schema.Field> fields = new TreeMap<>();
    fields.put("title", Schema.Field.found(FieldKind.STRING, false));
    fields.put("text_en", text("english"));
    fields.put("text_ru", text("russian"));
    for (String name : List.of("kind", "language", "folder", "author")) {
      fields.put(name, Schema.Field.found(FieldKind.KEYWORD, false));
    }
    fields.put("pages", Schema.Field.found(FieldKind.NUMBER, false));
    fields.put("written", Schema.Field.found(FieldKind.TIMESTAMP, false));
    return Schema.EMPTY.with(fields, Map.of());
  }

  private static Schema.Field text(String analyzer) {
    return new Schema.Field(
        FieldKind.TEXT, false, false, false, false, true, Optional.of(analyzer));
  }

  private void receive(String bucket, List<ObjectNode> documents) {
    ActingCaller actor = new ActingCaller(Caller.of(root), Optional.empty());
    for (int from = 0; from < documents.size(); from += AT_ONCE) {
      List<DocumentInput> some = new ArrayList<>();
      documents
          .subList(from, Math.min(documents.size(), from + AT_ONCE))
          .forEach(document -> some.add(DocumentJson.read(document)));
      domain
          .documents()
          .receiver()
          .receive(actor, ACME, bucket, some)
          .results()
          .forEach(
              result -> {
                if (!(result instanceof ReceiveResult.Accepted)) {
                  throw new IllegalStateException(result.toString());
                }
              });
      terminal.progress("%d of %d %s".formatted(from + some.size(), documents.size(), bucket));
    }
    terminal.endProgress();
  }
}
