package dev.veridex.http.routes.admin;

import dev.veridex.common.Page;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.Scope;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.Route.NoBody;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.PageParameters;
import dev.veridex.http.shape.AnswerObject;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.Jobs;
import dev.veridex.store.CommitResult;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// Jobs: list, look at, pause, resume, cancel.
public final class JobRoutes {
  private static final String PATH = "/v1/jobs/{id}";
  private static final Type<Long> COUNT = Type.whole(0, Long.MAX_VALUE);

  private static final Parameter<String> ID =
      Parameter.path("id", Type.ID, "the id that the start of the job answered");
  private static final Member<String> JOB_ID = Member.required("id", Type.TEXT, "its id");
  private static final Member<String> KIND =
      Member.required("kind", Type.TEXT, "the work, as scope.delete");
  private static final Member<Scope> SCOPE =
      Member.required("scope", Type.SCOPE, "the scope that it is about");
  private static final Member<Job.State> STATE =
      Member.required(
          "state",
          Type.choice(Arrays.asList(Job.State.values()), Job.State::text),
          "what it does now, or how it ended");
  private static final Member<Long> DONE = Member.required("done", COUNT, "how much of it is done");
  private static final Member<Long> TOTAL =
      Member.optional("total", COUNT, "how much there was to do when it was started");
  private static final Member<String> BY =
      Member.required("startedBy", Type.TEXT, "the id of the token that started it");
  private static final Member<Instant> CREATED_AT =
      Member.required("createdAt", Type.TIME, "when it was started");
  private static final Member<Instant> UPDATED_AT =
      Member.required("updatedAt", Type.TIME, "when something last happened to it");
  private static final Member<JsonNode> RESULT =
      Member.required("result", Type.FOREIGN, "the outcome so far, in the terms of its kind");
  private static final Member<String> CODE =
      Member.optional("code", Type.TEXT, "why it failed, as a code");
  private static final Member<String> DETAIL =
      Member.optional("detail", Type.TEXT, "why it failed");

  /// A job in an answer.
  static final Shape<Job> JOB =
      Shape.out(
          "Job",
          List.of(
              JOB_ID,
              KIND,
              SCOPE,
              STATE,
              DONE,
              TOTAL,
              BY,
              CREATED_AT,
              UPDATED_AT,
              RESULT,
              CODE,
              DETAIL),
          JobRoutes::write);

  private static final Member<Job.State> WANTED =
      Member.required(
          "state",
          Type.choice(List.of(Job.State.PAUSED, Job.State.RUNNING), Job.State::text),
          "paused, or running to go on");
  private static final Shape<Job.State> CHANGE =
      Shape.in("JobChange", List.of(WANTED), given -> given.get(WANTED));

  private final Jobs jobs;
  private final RevisionSeal seal;

  public JobRoutes(Jobs jobs, RevisionSeal seal) {
    this.jobs = jobs;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(Method.GET, "/v1/jobs", "job.list", "The jobs of a scope, the newest first")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Query<>()))
            .takes(PageParameters.LIMIT, PageParameters.CURSOR)
            .answers(Reply.json(200, PageParameters.of("JobList", JOB)), this::list),
        Route.of(Method.GET, PATH, "job.read", "A job, and how far it is")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Callers<>()))
            .takes(ID)
            .answers(Reply.json(200, JOB), this::read),
        Route.of(
                Method.PATCH,
                PATH,
                "job.change",
                "Pause a job, or let it go on; one that is over stays as it is")
            .reads(CHANGE, JsonNodeFactory.instance.objectNode().put("state", "paused"))
            .needs(new RequiredRight.Administers<>(new ScopeSource.Callers<>()))
            .takes(ID)
            .answers(Reply.json(200, JOB), this::change),
        Route.of(Method.DELETE, PATH, "job.cancel", "Cancel a job; what it has done stays done")
            .needs(new RequiredRight.Administers<>(new ScopeSource.Callers<>()))
            .takes(ID)
            .answers(Reply.json(200, JOB), this::cancel));
  }

  private Answer<Page<Job>> list(Call<NoBody> call) {
    return Answer.of(
        jobs.list(call.scope(), call.find(PageParameters.CURSOR), PageParameters.limit(call)));
  }

  private Answer<Job> read(Call<NoBody> call) {
    return Answer.of(jobs.find(call.caller(), call.get(ID)));
  }

  private Answer<Job> change(Call<Job.State> call) {
    CommitResult<Job> changed =
        call.body() == Job.State.PAUSED
            ? jobs.pause(call.caller(), call.get(ID))
            : jobs.resume(call.caller(), call.get(ID));
    return answer(changed);
  }

  private Answer<Job> cancel(Call<NoBody> call) {
    return answer(jobs.cancel(call.caller(), call.get(ID)));
  }

  private Answer<Job> answer(CommitResult<Job> changed) {
    return Answer.at(seal.seal(changed.revision()), changed.result());
  }

  private static void write(Job job, AnswerObject out) {
    out.put(JOB_ID, job.id())
        .put(KIND, job.kind())
        .put(SCOPE, job.scope())
        .put(STATE, job.state())
        .put(DONE, job.work().done())
        .put(TOTAL, job.work().total())
        .put(BY, job.origin().startedBy())
        .put(CREATED_AT, job.origin().createdAt())
        .put(UPDATED_AT, job.updatedAt())
        .put(RESULT, (JsonNode) job.work().result())
        .put(CODE, job.problem().map(problem -> problem.code().name()))
        .put(DETAIL, job.problem().map(Problem::detail));
  }
}
