package dev.veridex.http.routes;

import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Payload;
import dev.veridex.http.Reply;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Parameter;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import dev.veridex.jobs.Job;
import dev.veridex.jobs.Jobs;
import dev.veridex.json.JsonText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/// Answers to requests that start a job: after its end, or after a while, or line by line.
public record JobReplies(Jobs jobs, RevisionSeal seal) {
  private static final long MAX_WAIT = 30_000;
  private static final long DEFAULT_WAIT = 10_000;

  /// How long an answer may wait.
  public static final Parameter<Long> WAIT =
      Parameter.query(
          "waitMs",
          Type.whole(0, MAX_WAIT),
          "milliseconds to wait for the end of the job; 10000 if absent");

  private static final Type<Long> COUNT = Type.whole(0, Long.MAX_VALUE);
  private static final Member<String> JOB = Member.required("job", Type.TEXT, "the id of the job");
  private static final Member<String> STATE =
      Member.required("state", Type.TEXT, "done, or the state of a job that goes on");
  private static final Member<List<JsonNode>> CONFLICTING =
      Member.optional(
          "conflicting", Type.list(Type.FOREIGN), "the first ones that are there already");

  /// A job by now.
  public record JobEnd(Job job, String revision) {}

  /// The shape of an answer with some of the numbers that a job has come to.
  public static Shape<JobEnd> shape(String name, List<String> counts) {
    List<Member<Long>> numbers =
        counts.stream().map(each -> Member.required(each, COUNT, "how many")).toList();
    List<Member<?>> members = new ArrayList<>(numbers);
    members.addAll(List.of(JOB, STATE, CONFLICTING, WriteReceipt.REVISION));
    return Shape.out(
        name,
        members,
        (end, out) -> {
          JsonNode result = end.job.work().result();
          numbers.forEach(member -> out.put(member, result.path(member.name()).asLong()));
          out.put(JOB, end.job.id())
              .put(STATE, end.job.state().text())
              .put(WriteReceipt.REVISION, end.revision);
          if (result.has(CONFLICTING.name())) {
            out.put(CONFLICTING, result.get(CONFLICTING.name()).valueStream().toList());
          }
        });
  }

  /// Waits for the end of a job as long as the caller wants to.
  public Answer<JobEnd> await(Call<?> call, Job started) {
    Duration wait = Duration.ofMillis(call.find(WAIT).orElse(DEFAULT_WAIT));
    JobEnd end = end(jobs.await(started.id(), wait, _ -> {}));
    return Answer.at(end.revision, end);
  }

  /// Sends a line whenever a job has got further, and its end as the last one; to those who do not
  /// take lines, its end alone.
  ///
  /// @param unit the name under which lines tell how much is done
  public Answer<Payload> progress(Call<?> call, Job started, Shape<JobEnd> shape, String unit) {
    if (!call.accepts().contains(Reply.LINES)) {
      JobEnd end = await(call, started).value();
      return Answer.at(end.revision, new Payload.Bytes(Reply.JSON, bytes(shape, end)));
    }
    return Answer.of(
        new Payload.Streamed(
            Reply.LINES,
            out ->
                LongRunningWork.write(
                    out,
                    LongRunningWork.last(
                        () ->
                            bytes(
                                shape,
                                end(
                                    jobs.await(
                                        started.id(),
                                        Duration.ofDays(1),
                                        job -> LongRunningWork.write(out, line(unit, job)))))))));
  }

  private JobEnd end(Job job) {
    if (job.problem().isPresent()) {
      throw new VeridexException(job.problem().get());
    }
    return new JobEnd(job, seal.seal(jobs.revision()));
  }

  private static byte[] line(String unit, Job job) {
    return JsonText.write(JsonNodeFactory.instance.objectNode().put(unit, job.work().done()));
  }

  private static byte[] bytes(Shape<JobEnd> shape, JobEnd end) {
    return JsonText.write(Type.object(shape).writing().apply(end));
  }
}
