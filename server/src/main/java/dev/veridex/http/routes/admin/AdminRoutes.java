package dev.veridex.http.routes.admin;

import dev.veridex.common.IntegrityScan;
import dev.veridex.common.RevisionSeal;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Payload;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.LongRunningWork;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.json.JsonText;
import dev.veridex.operations.Backups;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tools.jackson.databind.node.JsonNodeFactory;

/// Operations on the server as a whole: backups and integrity scans.
///
/// Both are [LongRunningWork], and wait for each other.
public final class AdminRoutes {
  private static final Member<String> NAME =
      Member.optional("name", Type.TEXT, "what to call it; absent: after the time");
  private static final Shape<Optional<String>> BACKUP_REQUEST =
      Shape.in("BackupRequest", List.of(NAME), given -> given.find(NAME));

  private static final Member<String> BACKUP_NAME =
      Member.required("name", Type.TEXT, "what it is called");
  private static final Member<String> FOLDER =
      Member.required("folder", Type.TEXT, "where it is on the server");
  private static final Member<Long> BYTES =
      Member.required("bytes", Type.whole(0, Long.MAX_VALUE), "how large it is");
  private static final Shape<BackupAnswer> BACKUP =
      Shape.out(
          "Backup",
          List.of(BACKUP_NAME, FOLDER, BYTES, WriteReceipt.REVISION),
          (made, out) ->
              out.put(BACKUP_NAME, made.backup.name())
                  .put(FOLDER, made.backup.folder().toString())
                  .put(BYTES, made.backup.bytes())
                  .put(WriteReceipt.REVISION, made.revision));

  private static final Member<String> CHECK =
      Member.required("name", Type.TEXT, "what was looked at");
  private static final Member<Long> EXAMINED =
      Member.required("examined", Type.whole(0, Long.MAX_VALUE), "how many records");
  private static final Member<List<String>> DRIFT =
      Member.required("drift", Type.list(Type.TEXT), "what does not agree; empty is good");
  private static final Shape<ScanResult> CHECKED =
      Shape.out(
          "Checked",
          List.of(CHECK, EXAMINED, DRIFT),
          (checked, out) ->
              out.put(CHECK, checked.name)
                  .put(EXAMINED, checked.outcome.examined())
                  .put(DRIFT, checked.outcome.drift()));
  private static final Member<Boolean> OK =
      Member.required("ok", Type.BOOLEAN, "whether everything agrees");
  private static final Member<List<ScanResult>> CHECKS =
      Member.required("checks", Type.list(Type.object(CHECKED)), "what was looked at");
  private static final Shape<VerifyAnswer> VERIFIED =
      Shape.out(
          "Verified",
          List.of(OK, CHECKS, WriteReceipt.REVISION),
          (verified, out) ->
              out.put(OK, verified.scans.stream().allMatch(c -> c.outcome.drift().isEmpty()))
                  .put(CHECKS, verified.scans)
                  .put(WriteReceipt.REVISION, verified.revision));

  private record BackupAnswer(Backups.Backup backup, String revision) {}

  private record ScanResult(String name, IntegrityScan.Outcome outcome) {}

  private record VerifyAnswer(List<ScanResult> scans, String revision) {}

  private final Backups backups;
  private final List<IntegrityScan> scans;
  private final Supplier<String> revision;
  private final RevisionSeal seal;
  private final LongRunningWork longWork;

  /// @param revision the newest, sealed
  public AdminRoutes(
      Backups backups,
      List<IntegrityScan> scans,
      Supplier<String> revision,
      RevisionSeal seal,
      LongRunningWork longWork) {
    this.backups = backups;
    this.scans = List.copyOf(scans);
    this.revision = revision;
    this.seal = seal;
    this.longWork = longWork;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.POST, "/v1/admin/backup", "backup.make", "Copy the running store")
            .reads(BACKUP_REQUEST, JsonNodeFactory.instance.objectNode().put("name", "friday"))
            .needs(new RequiredRight.Administers<>(new ScopeSource.Server<>()))
            .answers(Reply.json(201, BACKUP), this::backup),
        Route.of(
                Method.GET,
                "/v1/admin/verify",
                "verify.run",
                "Compare what is stored with what it was derived from")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Server<>()))
            .answers(Reply.progress(VERIFIED), this::verify));
  }

  private Answer<BackupAnswer> backup(Call<Optional<String>> call) {
    Backups.Backup made = longWork.await(() -> backups.make(call.caller(), call.body()));
    String sealed = seal.seal(made.revision());
    return Answer.at(sealed, new BackupAnswer(made, sealed));
  }

  private Answer<Payload> verify(Call<NoBody> call) {
    Type<VerifyAnswer> type = Type.object(VERIFIED);
    String now = revision.get();
    if (!call.accepts().contains(Reply.LINES)) {
      VerifyAnswer verified = longWork.await(() -> run(now, _ -> {}));
      byte[] bytes = JsonText.write(type.writing().apply(verified));
      return Answer.at(now, new Payload.Bytes(Reply.JSON, bytes));
    }
    return Answer.at(
        now,
        new Payload.Streamed(
            Reply.LINES,
            out ->
                LongRunningWork.write(
                    out,
                    LongRunningWork.last(
                        () ->
                            longWork.await(
                                () ->
                                    JsonText.write(
                                        type.writing()
                                            .apply(
                                                run(
                                                    now,
                                                    line ->
                                                        LongRunningWork.write(out, line)))))))));
  }

  private VerifyAnswer run(String now, Consumer<byte[]> progress) {
    List<ScanResult> done = new ArrayList<>();
    for (IntegrityScan scan : scans) {
      IntegrityScan.Outcome outcome =
          scan.run(examined -> progress.accept(progressLine(scan.name(), examined)));
      progress.accept(progressLine(scan.name(), outcome.examined()));
      done.add(new ScanResult(scan.name(), outcome));
    }
    return new VerifyAnswer(done, now);
  }

  private static byte[] progressLine(String check, long examined) {
    return JsonText.write(
        JsonNodeFactory.instance.objectNode().put("check", check).put("examined", examined));
  }
}
