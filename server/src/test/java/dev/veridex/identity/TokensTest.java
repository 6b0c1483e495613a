package dev.veridex.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.MutableClock;
import dev.veridex.common.Page;
import dev.veridex.common.Scope;
import dev.veridex.common.Seeds;
import dev.veridex.identity.AuditEntry.Outcome;
import dev.veridex.identity.Token.Flag;
import dev.veridex.records.Incarnations;
import dev.veridex.store.Cursor;
import dev.veridex.store.Direction;
import dev.veridex.store.KeyRange;
import dev.veridex.store.Snapshot;
import dev.veridex.store.memory.MemoryDisk;
import dev.veridex.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TokensTest {
  private static final Scope ACME = Scope.parse("tenant:acme");
  private static final Scope PROD = Scope.parse("tenant:acme:env:prod");
  private static final Scope OTHER = Scope.parse("tenant:other");
  private static final Scope GLOBAL = Scope.parse("global");

  private final MutableClock clock = MutableClock.daysAgo(0);
  private final MemoryStore store =
      new MemoryStore(
          new MemoryDisk(new Random(1)), clock, Duration.ofHours(1), Duration.ofDays(7));
  private final AtomicLong incarnation = new AtomicLong();
  private final Incarnations incarnations =
      (_, scope) -> scope.parts().contains("acme") ? incarnation.get() : 0;
  private final AuditLog audit = new AuditLog(incarnations);
  private final Tokens tokens = new Tokens(store, audit, incarnations, new Random(2));
  private final Token root = tokens.adoptRoot("the root secret");

  @AfterEach
  void close() {
    store.close();
  }

  private MintResult.Minted mint(Token minter, TokenRequest request) {
    MintResult minting = tokens.mint(minter, request);
    assertThat(minting).isInstanceOf(MintResult.Minted.class);
    return (MintResult.Minted) minting;
  }

  private ErrorCode refusal(Token minter, TokenRequest request) {
    MintResult minting = tokens.mint(minter, request);
    assertThat(minting).isInstanceOf(MintResult.Refused.class);
    return ((MintResult.Refused) minting).problem().code();
  }

  private static TokenRequest admin(Scope scope) {
    return with(scope, Set.of(Flag.ADMIN), Set.of(), Optional.empty());
  }

  private static TokenRequest with(
      Scope scope, Set<Flag> flags, Set<String> groups, Optional<Duration> ttl) {
    return new TokenRequest(
        scope, false, Optional.of("alice"), new TreeSet<>(groups), Optional.empty(), flags, ttl);
  }

  private List<AuditEntry> auditOf(Scope scope) {
    try (Snapshot snapshot = store.snapshot()) {
      return audit.read(snapshot, scope, Optional.empty(), 100).items().stream()
          .map(AuditLog.NumberedEntry::entry)
          .toList();
    }
  }

  @Test
  void aMintedTokenIsRecognisedByItsSecret() {
    MintResult.Minted minted = mint(root, admin(ACME));
    assertThat(tokens.authenticate(minted.secret())).contains(minted.token());
    assertThat(tokens.authenticate(minted.secret() + "x")).isEmpty();
    assertThat(tokens.authenticate("")).isEmpty();
    assertThat(tokens.authenticate(minted.token().id())).isEmpty();
    assertThat(tokens.authenticate("the root secret")).contains(root);
    assertThat(minted.revision()).isEqualTo(store.revision());
  }

  @Test
  void noSecretIsStoredOrPrinted() {
    MintResult.Minted minted = mint(root, admin(ACME));
    assertThat(minted.toString()).doesNotContain(minted.secret());
    try (Snapshot snapshot = store.snapshot();
        Cursor all = snapshot.scanWithExpired(KeyRange.ALL, Direction.FORWARD)) {
      while (all.next()) {
        String stored = new String(all.key(), UTF_8) + new String(all.value(), UTF_8);
        assertThat(stored).doesNotContain(minted.secret()).doesNotContain("the root secret");
      }
    }
  }

  @Test
  void aTokenExpiresAtTheInstant() {
    MintResult.Minted minted =
        mint(root, with(ACME, Set.of(), Set.of(), Optional.of(Duration.ofMinutes(5))));
    clock.advance(Duration.ofMinutes(5).minusNanos(1000));
    assertThat(tokens.authenticate(minted.secret())).isPresent();
    clock.advance(Duration.ofNanos(1000));
    assertThat(tokens.authenticate(minted.secret())).isEmpty();
    assertThat(tokens.find(root, minted.token().id())).isEmpty();
  }

  @Test
  void aRevokedTokenOpensNothingFromThatMomentOn() {
    MintResult.Minted minted = mint(root, admin(ACME));
    assertThat(tokens.revoke(root, minted.token().id())).isPresent();
    assertThat(tokens.authenticate(minted.secret())).isEmpty();
    assertThat(tokens.revoke(root, minted.token().id())).isEmpty();
    assertThat(refusal(minted.token(), admin(ACME)))
        .as("even if it was recognised before")
        .isEqualTo(ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aTokenOfADeletedAccountOpensNothingInTheNext() {
    MintResult.Minted minted = mint(root, admin(ACME));
    incarnation.incrementAndGet();
    assertThat(tokens.authenticate(minted.secret())).isEmpty();
    assertThat(tokens.find(root, minted.token().id())).isEmpty();
    assertThat(tokens.list(root, ACME, Optional.empty(), 10).items()).isEmpty();
    assertThat(auditOf(ACME)).isEmpty();
  }

  @Test
  void onlyAdministratorsOfTheScopeMint() {
    Token plain = mint(root, TokenRequest.plain(ACME)).token();
    Token prod = mint(root, admin(PROD)).token();
    assertThat(refusal(plain, TokenRequest.plain(ACME))).isEqualTo(ErrorCode.FORBIDDEN);
    assertThat(refusal(prod, TokenRequest.plain(ACME))).isEqualTo(ErrorCode.SCOPE_DENIED);
    assertThat(refusal(prod, TokenRequest.plain(OTHER))).isEqualTo(ErrorCode.SCOPE_DENIED);
    mint(prod, TokenRequest.plain(PROD));
  }

  @Test
  void aTokenWithoutATtlLivesAsLongAsItsMinter() {
    Token hour =
        mint(root, with(ACME, Set.of(Flag.ADMIN), Set.of(), Optional.of(Duration.ofHours(1))))
            .token();
    clock.advance(Duration.ofMinutes(10));
    assertThat(mint(hour, TokenRequest.plain(ACME)).token().expiresAt())
        .isEqualTo(hour.expiresAt());
    assertThat(refusal(hour, with(ACME, Set.of(), Set.of(), Optional.of(Duration.ofMinutes(51)))))
        .isEqualTo(ErrorCode.INVALID_TTL);
    for (Duration ttl : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(99999))) {
      assertThat(refusal(root, with(ACME, Set.of(), Set.of(), Optional.of(ttl))))
          .isEqualTo(ErrorCode.INVALID_TTL);
    }
  }

  @Test
  void badIdsAreRefused() {
    for (String bad : List.of("", "\uD800", "x".repeat(1101))) {
      TokenRequest plain = TokenRequest.plain(ACME);
      assertThat(
              refusal(
                  root,
                  new TokenRequest(
                      ACME,
                      false,
                      Optional.of(bad),
                      plain.groups(),
                      Optional.empty(),
                      Set.of(),
                      Optional.empty())))
          .isEqualTo(ErrorCode.BAD_REQUEST);
      assertThat(refusal(root, with(ACME, Set.of(), Set.of(bad), Optional.empty())))
          .isEqualTo(ErrorCode.BAD_REQUEST);
    }
  }

  @Test
  void tokensAreListedByScopeAndPage() {
    List<Token> minted = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      minted.add(mint(root, TokenRequest.plain(ACME)).token());
    }
    mint(root, TokenRequest.plain(PROD));
    List<Token> listed = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      Page<Token> page = tokens.list(root, ACME, cursor, 2);
      assertThat(page.items().size()).isLessThanOrEqualTo(2);
      listed.addAll(page.items());
      cursor = page.cursor();
    } while (cursor.isPresent());
    assertThat(listed).containsExactlyInAnyOrderElementsOf(minted);
    assertThat(listed).isSortedAccordingTo(Comparator.comparing(Token::id));
    Token plain = minted.getFirst();
    assertThat(tokens.list(plain, ACME, Optional.empty(), 2).items()).isEmpty();
  }

  @Test
  void everyChangeAndEveryRefusalIsInTheAuditOfItsScope() {
    Token admin = mint(root, admin(ACME)).token();
    refusal(admin, TokenRequest.plain(OTHER));
    tokens.revoke(root, admin.id());
    tokens.revoke(root, "nothing");
    assertThat(auditOf(ACME))
        .extracting(AuditEntry::operation, AuditEntry::actor, AuditEntry::outcome)
        .containsExactly(
            tuple("token.mint", "root", Outcome.DONE),
            tuple("token.mint", admin.id(), Outcome.REFUSED),
            tuple("token.revoke", "root", Outcome.DONE));
    assertThat(auditOf(OTHER)).as("out of reach").isEmpty();
    assertThat(auditOf(ACME).get(1))
        .satisfies(
            entry -> {
              assertThat(entry.actor()).isEqualTo(admin.id());
              assertThat(entry.subject()).contains("alice");
              assertThat(entry.outcome()).isEqualTo(Outcome.REFUSED);
              assertThat(entry.reason()).contains("SCOPE_DENIED");
              assertThat(entry.key()).containsExactly(OTHER.text());
              assertThat(entry.time()).isEqualTo(clock.instant());
            });
    assertThat(auditOf(GLOBAL)).hasSize(2);
    assertThat(auditOf(PROD)).isEmpty();
  }

  @Test
  void theRootTokenIsAdoptedOnceAndReplacedByAnother() {
    assertThat(tokens.adoptRoot("the root secret")).isEqualTo(root);
    assertThat(auditOf(GLOBAL)).hasSize(1);
    clock.advance(Duration.ofSeconds(1));
    tokens.adoptRoot("another secret");
    assertThat(tokens.authenticate("the root secret")).isEmpty();
    assertThat(tokens.authenticate("another secret")).isPresent();
    assertThat(auditOf(GLOBAL))
        .extracting(AuditEntry::operation)
        .containsExactly("token.mint", "token.revoke", "token.mint");
  }

  @Test
  void noChainOfMintingEverWidens() {
    Seeds.forEach(
        300,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          List<Token> known = new ArrayList<>(List.of(root));
          for (int i = 0; i < 20; i++) {
            Token minter = known.get(random.nextInt(known.size()));
            TokenRequest request = randomRequest(random);
            switch (tokens.mint(minter, request)) {
              case MintResult.Minted(Token token, _, _) -> {
                assertThat(isWithin(token, minter)).as("%s by %s", token, minter).isTrue();
                known.add(token);
              }
              case MintResult.Refused refused ->
                  assertThat(mayMint(minter, request))
                      .as("%s refused to %s: %s", request, minter, refused)
                      .isFalse();
            }
          }
        });
  }

  /// From the rule alone: everything that the one can, the other can.
  private static boolean isWithin(Token token, Token minter) {
    boolean everyScope =
        WORLD.stream().allMatch(scope -> !token.reaches(scope) || minter.reaches(scope));
    boolean groups = minter.groups().contains("*") || minter.groups().containsAll(token.groups());
    boolean life =
        minter
            .expiresAt()
            .map(end -> token.expiresAt().map(own -> !own.isAfter(end)).orElse(false))
            .orElse(true);
    return everyScope && groups && life && minter.flags().containsAll(token.flags());
  }

  private boolean mayMint(Token minter, TokenRequest request) {
    Token asked =
        new Token(
            "asked",
            request.scope(),
            0,
            request.descendants(),
            request.subject(),
            request.groups(),
            request.serviceId(),
            request.flags(),
            clock.instant(),
            request.ttl().map(clock.instant()::plus).or(minter::expiresAt));
    boolean sensible = !request.descendants() || request.scope() instanceof Scope.Custom;
    return minter.administers(request.scope()) && sensible && isWithin(asked, minter);
  }

  private static final List<Scope> SCOPES =
      List.of(
          GLOBAL,
          ACME,
          PROD,
          OTHER,
          Scope.parse("env:prod"),
          Scope.parse("custom:a"),
          Scope.parse("custom:a:b"),
          Scope.parse("custom:a:b:c"),
          Scope.parse("custom:b"));

  /// Every scope that can be asked for, and something below each custom one.
  private static final List<Scope> WORLD =
      Stream.concat(
              SCOPES.stream(), Stream.of(Scope.parse("custom:a:b:c:d"), Scope.parse("custom:b:c")))
          .toList();

  private static TokenRequest randomRequest(RandomGenerator random) {
    Set<Flag> flags = EnumSet.noneOf(Flag.class);
    for (Flag flag : Flag.values()) {
      if (random.nextInt(3) > 0) {
        flags.add(flag);
      }
    }
    TreeSet<String> groups = new TreeSet<>();
    for (String group : List.of("user", "admin", "*")) {
      if (random.nextInt(3) == 0) {
        groups.add(group);
      }
    }
    Optional<Duration> ttl =
        random.nextBoolean()
            ? Optional.empty()
            : Optional.of(Duration.ofMinutes(random.nextInt(1, 100)));
    return new TokenRequest(
        SCOPES.get(random.nextInt(SCOPES.size())),
        random.nextInt(3) == 0,
        Optional.empty(),
        groups,
        Optional.empty(),
        flags,
        ttl);
  }
}
