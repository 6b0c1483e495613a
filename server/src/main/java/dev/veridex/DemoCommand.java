package dev.veridex;

import dev.veridex.access.statement.MessageInput;
import dev.veridex.acl.Acl;
import dev.veridex.buckets.ActingCaller;
import dev.veridex.buckets.Bucket;
import dev.veridex.buckets.DocumentSettings;
import dev.veridex.buckets.ItemSettings;
import dev.veridex.cli.Command;
import dev.veridex.cli.output.Terminal;
import dev.veridex.common.Namespace;
import dev.veridex.common.Scope;
import dev.veridex.identity.Caller;
import dev.veridex.identity.MintResult;
import dev.veridex.identity.Token;
import dev.veridex.identity.Token.Flag;
import dev.veridex.identity.TokenRequest;
import dev.veridex.identity.TokenSecret;
import dev.veridex.identity.Tokens;
import dev.veridex.items.Items;
import dev.veridex.json.JsonText;
import dev.veridex.settings.SettingsSources;
import dev.veridex.tenancy.Account;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `demo`: a server in a temporary folder, with tokens to try it with; gone when it ends.
record DemoCommand(String version) implements Command {
  private static final int USUAL_PORT = 7400;
  private static final int USUAL_DOCUMENTS = 20_000;

  /// Statements about the drafts.
  private static final String STATEMENTS =
      """
      {"@id":"alice-is-an-editor","rdf:type":"v-s:Membership","v-s:resource":"alice","v-s:memberOf":"editors"}
      {"@id":"editors-are-staff","rdf:type":"v-s:Membership","v-s:resource":"editors","v-s:memberOf":"staff"}
      {"@id":"editors-edit-the-plan","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":"draft:plan","v-s:permissionSubject":"editors","v-s:canRead":true,"v-s:canUpdate":true}
      {"@id":"staff-reads-drafts","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":"bucket:drafts","v-s:permissionSubject":"staff","v-s:canRead":true}
      {"@id":"salaries-are-not-for-editors","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":"draft:salaries","v-s:permissionSubject":"editors","v-s:canRead":false}
      """;

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("demo");
    spec.usageMessage()
        .description("Run a server in a temporary folder and say what to try. Ctrl-C ends it.");
    spec.addOption(
        OptionSpec.builder("--port")
            .type(Integer.class)
            .paramLabel("PORT")
            .description("the port; else 7400 if it is free, else any that is")
            .build());
    return spec.addOption(
        OptionSpec.builder("--documents")
            .type(Integer.class)
            .paramLabel("NUMBER")
            .description("how many documents the company has; else 20000")
            .build());
  }

  @Override
  public int run(ParseResult arguments, Terminal terminal) {
    Path data = temporaryFolder();
    String root = TokenSecret.random(new SecureRandom());
    SettingsSources sources =
        new SettingsSources(
            Optional.empty(),
            Map.of("VERIDEX_ROOT_TOKEN", root),
            List.of(
                "data=" + data,
                "http.port=" + arguments.matchedOptionValue("--port", usualPort())));
    Server server = start(sources, data, terminal);
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().unstarted(() -> deleteAtEnd(server, data)));
    Token administrator = server.tokens().authenticate(root).orElseThrow();
    arrange(server.domain(), administrator);
    new DemoCompany(server.domain(), administrator, terminal)
        .load(arguments.matchedOptionValue("--documents", USUAL_DOCUMENTS));
    greet(server, root, administrator, terminal);
    return ServerCommand.waitForever();
  }

  /// The port that examples name, if nobody has it.
  private static int usualPort() {
    try (ServerSocket _ = new ServerSocket(USUAL_PORT, 1, InetAddress.getLoopbackAddress())) {
      return USUAL_PORT;
    } catch (IOException e) {
      return 0;
    }
  }

  private Server start(SettingsSources sources, Path data, Terminal terminal) {
    try {
      return ServerCommand.start(Config.read(sources), terminal, version);
    } catch (RuntimeException e) {
      delete(data);
      throw e;
    }
  }

  private static void greet(Server server, String root, Token minter, Terminal terminal) {
    Tokens tokens = server.tokens();
    Scope acme = new Scope.Tenant("acme");
    String admin =
        mint(
            tokens,
            minter,
            new TokenRequest(
                acme,
                false,
                Optional.of("ada"),
                new TreeSet<>(Set.of("admin")),
                Optional.empty(),
                Set.of(Flag.ADMIN),
                Optional.empty()));
    String user =
        mint(
            tokens,
            minter,
            new TokenRequest(
                acme,
                false,
                Optional.of("alice"),
                new TreeSet<>(Set.of("user")),
                Optional.empty(),
                Set.of(),
                Optional.empty()));
    String url = "http://127.0.0.1:" + server.port();
    terminal
        .out()
        .println(
            """

            %s
            The page to search with, signed in: %s/#account=acme&token=%s
            The API to read: %s/docs

              root   %s   administers everything
              ada    %s   administers tenant:acme
              alice  %s   a user of tenant:acme

            The account acme has a bucket, pages: everybody reads, users write. In another one,
            drafts, each item is for those who have a right on it. A third, offers, takes documents.
            In documents, 200 people have written what not everybody may read; people tells who
            they are. In files is the catalogue of a laboratory's object store, made of 50,000
            events that came in no order, every one of them twice.

            %s
              export VERIDEX_URL=%s VERIDEX_TOKEN=%s

              curl -s $VERIDEX_URL/v1/accounts/acme/buckets/pages/items/welcome
              echo 'Hello, Alice' | ./veridex put acme/pages/welcome --content-type text/plain
              ./veridex get acme/pages/welcome --revisions
              ./veridex ls acme/drafts
              ./veridex what acme alice R --bucket drafts
              ./veridex check acme alice draft:plan RU --explain
              ./veridex check acme alice draft:salaries R --bucket drafts --explain
              echo '{"pk":"offer-1","epoch":1,"version":1,"modifiedAt":"2026-01-31T12:00:00Z",\
                "action":"UPSERT","fields":{"title":"Red bike","price":120}}' | ./veridex put acme/offers
              ./veridex get acme/offers/offer-1
              ./veridex search acme/documents "red bicycle" --limit 3
              VERIDEX_TOKEN=%s ./veridex approvals ls acme
              ./veridex search acme/documents --filter '{"folder":"legal/contracts"}' --explain
              ./veridex objects ls acme/files 'runs/2026/sample-00*.bam' --limit 5
              ./veridex objects stats acme/files --delimiter /
              echo '{"@id":"closed","rdf:type":"v-s:PermissionStatement","v-s:permissionObject":\
                "s3://lab/runs/2026/","v-s:permissionSubject":"g:everybody","v-s:canRead":false}' \
                | VERIDEX_TOKEN=%s ./veridex access put acme
              ./veridex search acme/files sample --limit 1
              echo '{"@id":"closed","rdf:type":"v-s:PermissionStatement","v-s:deleted":true}' \
                | VERIDEX_TOKEN=%s ./veridex access put acme
              ./veridex search acme/files sample --limit 1
              ./veridex bucket delete acme/pages --yes
              VERIDEX_TOKEN=%s ./veridex audit --scope tenant:acme

            The first needs no token. Of the two drafts, alice sees one, and is told why. Three
            contracts are lent to her for two, five and fifteen minutes: search again then. One
            statement by ada closes a folder of the store, and taking it back opens it again. What
            deletes is refused: in pages, alice may read and write, no more. The last, by ada,
            shows that she tried.
            Everything is in a temporary folder and goes when you press Ctrl-C.
            """
                .formatted(
                    terminal.bold("Veridex listens on " + url),
                    url,
                    admin,
                    url,
                    root,
                    admin,
                    user,
                    terminal.bold("Try, in another terminal:"),
                    url,
                    user,
                    admin,
                    admin,
                    admin,
                    admin));
  }

  /// An account with something in it.
  private static void arrange(Domain domain, Token root) {
    Account.Definition account =
        new Account.Definition(
            Optional.of("a demonstration"),
            Optional.of("ada"),
            Optional.empty(),
            Optional.empty(),
            Map.of());
    domain.tenancy().accounts().put(root, "acme", account, Optional.empty(), Optional.empty());
    Namespace namespace = new Namespace("acme", Optional.empty());
    Caller caller = Caller.of(root);
    Bucket.Definition pages =
        new Bucket.Definition(
            Optional.of(
                new Acl(
                    Map.of(
                        Acl.Action.READ, List.of(group(Acl.EVERYBODY)),
                        Acl.Action.WRITE, List.of(group("user"))))),
            Optional.empty(),
            Optional.of("ada"),
            Map.of(),
            Optional.empty(),
            Bucket.Placement.SHARED,
            ItemSettings.USUAL);
    domain
        .buckets()
        .buckets()
        .put(caller, namespace, "pages", "items", pages, Optional.empty(), Optional.empty());
    Bucket.Definition drafts =
        new Bucket.Definition(
            Optional.of(new Acl(Map.of(Acl.Action.READ, List.of(group(Acl.EVERYBODY))))),
            Optional.empty(),
            Optional.of("ada"),
            Map.of(),
            Optional.empty(),
            Bucket.Placement.SHARED,
            new ItemSettings(true, "draft:", ItemSettings.USUAL.retention()));
    domain
        .buckets()
        .buckets()
        .put(caller, namespace, "drafts", "items", drafts, Optional.empty(), Optional.empty());
    domain
        .buckets()
        .buckets()
        .put(
            caller,
            namespace,
            "offers",
            DocumentSettings.TYPE,
            pages.settling(
                new DocumentSettings(
                    false,
                    "",
                    Optional.empty(),
                    DocumentSettings.USUAL.tombstoneRetention(),
                    false,
                    Optional.empty())),
            Optional.empty(),
            Optional.empty());
    put(domain, caller, "pages", "welcome", "Welcome to acme\n");
    put(domain, caller, "drafts", "plan", "The plan\n");
    put(domain, caller, "drafts", "salaries", "The salaries\n");
    List<MessageInput> statements =
        STATEMENTS
            .lines()
            .map(line -> MessageInput.of(JsonText.read(line.getBytes(StandardCharsets.UTF_8))))
            .toList();
    domain.access().index().put(root, namespace, statements);
  }

  private static void put(Domain domain, Caller caller, String bucket, String key, String text) {
    Namespace namespace = new Namespace("acme", Optional.empty());
    domain
        .items()
        .items()
        .put(
            new Items.Request(new ActingCaller(caller, Optional.empty()), namespace, bucket, key),
            new Items.Content(
                "text/plain",
                new TreeMap<>(),
                text.getBytes(StandardCharsets.UTF_8),
                Optional.empty()),
            Items.Conditions.NONE);
  }

  static Acl.Entry group(String name) {
    return new Acl.Entry(
        Optional.of(new Acl.Condition(Optional.of(List.of(name)), Optional.empty())),
        Optional.empty());
  }

  private static String mint(Tokens tokens, Token minter, TokenRequest request) {
    return switch (tokens.mint(minter, request)) {
      case MintResult.Minted(_, String secret, _) -> secret;
      case MintResult.Refused(var problem) -> throw new IllegalStateException(problem.toString());
    };
  }

  private static Path temporaryFolder() {
    try {
      return Files.createTempDirectory("veridex-demo-");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void deleteAtEnd(Server server, Path data) {
    server.close();
    delete(data);
  }

  private static void delete(Path data) {
    try (Stream<Path> files = Files.walk(data)) {
      List<Path> deepestFirst = new ArrayList<>(files.toList());
      deepestFirst.sort(Comparator.reverseOrder());
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
