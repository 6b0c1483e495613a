package dev.veridex.http.routes.access;

import dev.veridex.access.AccessIndex;
import dev.veridex.access.AsOf;
import dev.veridex.access.AtRevision;
import dev.veridex.access.WhatIf;
import dev.veridex.access.check.RightsDifferences.ClassChange;
import dev.veridex.access.statement.MessageInput;
import dev.veridex.access.statement.Rights;
import dev.veridex.common.ErrorCode;
import dev.veridex.common.Namespace;
import dev.veridex.common.Problem;
import dev.veridex.common.RevisionSeal;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.Method;
import dev.veridex.http.Reply;
import dev.veridex.http.RequiredRight;
import dev.veridex.http.Route;
import dev.veridex.http.ScopeSource;
import dev.veridex.http.routes.WriteReceipt;
import dev.veridex.http.shape.Member;
import dev.veridex.http.shape.Shape;
import dev.veridex.http.shape.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Routes of what-if.
public final class WhatIfRoutes {
  private static final int MAX_INPUTS = 1000;
  private static final int MAX_SAMPLES = 100;
  private static final Type<Long> COUNT = Type.whole(0, Long.MAX_VALUE);

  /// The inputs of a what-if.
  private record Trial(
      List<JsonNode> individuals, Optional<String> bucket, Optional<String> atLeast) {}

  private static final Member<List<JsonNode>> INDIVIDUALS =
      Member.required(
          "individuals",
          Type.list(Type.FOREIGN),
          "individuals or messages, as they would be stated; at most 1000");
  private static final Member<String> BUCKET =
      Member.optional("bucket", Type.TEXT, "the bucket that the resources are in");
  private static final Member<String> AT_LEAST =
      Member.optional("atLeast", Type.TEXT, AsOfParameter.AT_LEAST_MEANING);
  private static final Shape<Trial> TRIAL =
      Shape.in(
          "WhatIf",
          List.of(INDIVIDUALS, BUCKET, AT_LEAST),
          given -> new Trial(given.get(INDIVIDUALS), given.find(BUCKET), given.find(AT_LEAST)));

  /// How many pairs each right appears or vanishes for.
  private static final List<Member<Long>> BY_RIGHT =
      List.of(
          Member.required("C", COUNT, "create"),
          Member.required("R", COUNT, "read"),
          Member.required("U", COUNT, "update"),
          Member.required("D", COUNT, "delete"));

  private static final Shape<List<Long>> COUNTS =
      Shape.out(
          "RightCounts",
          List.copyOf(BY_RIGHT),
          (counts, out) -> {
            for (int right = 0; right < BY_RIGHT.size(); right++) {
              out.put(BY_RIGHT.get(right), counts.get(right));
            }
          });

  /// A class of ids that nothing tells apart.
  private record IdClass(long count, String sample, boolean everythingElse) {}

  private static final Member<Long> HOW_MANY =
      Member.optional("count", COUNT, "how many there are");
  private static final Member<String> SAMPLE = Member.optional("sample", Type.TEXT, "one of them");
  private static final Member<Boolean> EVERYTHING_ELSE =
      Member.optional(
          "everythingElse", Type.BOOLEAN, "true: all that no record is about; it is not counted");
  private static final Shape<IdClass> ALIKE =
      Shape.out(
          "AlikeIds",
          List.of(HOW_MANY, SAMPLE, EVERYTHING_ELSE),
          (alike, out) ->
              out.put(HOW_MANY, Optional.of(alike.count).filter(_ -> !alike.everythingElse))
                  .put(SAMPLE, Optional.of(alike.sample).filter(_ -> !alike.everythingElse))
                  .put(EVERYTHING_ELSE, Optional.of(true).filter(_ -> alike.everythingElse)));
  private static final Member<IdClass> SUBJECTS =
      Member.required("subjects", Type.object(ALIKE), "those who are alike");
  private static final Member<IdClass> RESOURCES =
      Member.required("resources", Type.object(ALIKE), "those that are alike");
  private static final Member<Integer> APPEARS =
      Member.required("appears", AccessTypes.RIGHTS, "the rights that each gets on each");
  private static final Member<Integer> VANISHES =
      Member.required("vanishes", AccessTypes.RIGHTS, "the rights that each loses on each");
  private static final Shape<ClassChange> CLASS =
      Shape.out(
          "ChangedClass",
          List.of(SUBJECTS, RESOURCES, APPEARS, VANISHES),
          (changed, out) ->
              out.put(SUBJECTS, new IdClass(changed.subjects(), changed.subject(), false))
                  .put(
                      RESOURCES,
                      new IdClass(
                          changed.resources(), changed.resource(), changed.resource().isEmpty()))
                  .put(APPEARS, changed.appears())
                  .put(VANISHES, changed.vanishes()));

  /// A right that a subject gains or loses.
  private record Sample(String subject, String resource, int right, boolean appears) {}

  private static final Member<String> WHO = Member.required("subject", Type.TEXT, "who");
  private static final Member<String> ON = Member.required("resource", Type.TEXT, "on what");
  private static final Member<Integer> RIGHT =
      Member.required("right", AccessTypes.RIGHTS, "which right");
  private static final Member<String> CHANGE =
      Member.required("change", Type.TEXT, "appears or vanishes");
  private static final Shape<Sample> SAMPLE_SHAPE =
      Shape.out(
          "ChangedRight",
          List.of(WHO, ON, RIGHT, CHANGE),
          (sample, out) ->
              out.put(WHO, sample.subject)
                  .put(ON, sample.resource)
                  .put(RIGHT, sample.right)
                  .put(CHANGE, sample.appears ? "appears" : "vanishes"));

  /// The result of a what-if.
  private record WhatIfAnswer(WhatIf.Outcome outcome, String revision) {}

  private static final Member<List<AccessIndex.Result>> RESULTS =
      Member.required(
          "results",
          Type.list(Type.object(AccessShapes.RESULT)),
          "what would become of each individual");
  private static final Member<List<Long>> APPEAR =
      Member.required(
          "appear",
          Type.object(COUNTS),
          "for how many pairs of subject and resource rights appear");
  private static final Member<List<Long>> VANISH =
      Member.required("vanish", Type.object(COUNTS), "for how many they vanish");
  private static final Member<List<ClassChange>> CLASSES =
      Member.required(
          "classes",
          Type.list(Type.object(CLASS)),
          "by class of subjects and class of resources, the largest first; at most 100");
  private static final Member<List<Sample>> SAMPLES =
      Member.required("samples", Type.list(Type.object(SAMPLE_SHAPE)), "at most 100");
  private static final Member<Boolean> COMPLETE =
      Member.required(
          "complete", Type.BOOLEAN, "false: there was too much to compare, the counts are too low");
  private static final Shape<WhatIfAnswer> TOLD =
      Shape.out(
          "WhatIfAnswer",
          List.of(RESULTS, APPEAR, VANISH, CLASSES, SAMPLES, COMPLETE, WriteReceipt.REVISION),
          (told, out) ->
              out.put(RESULTS, told.outcome.results())
                  .put(APPEAR, told.outcome.differences().appear())
                  .put(VANISH, told.outcome.differences().vanish())
                  .put(CLASSES, told.outcome.differences().classes())
                  .put(SAMPLES, samples(told.outcome.differences().classes()))
                  .put(COMPLETE, told.outcome.differences().complete())
                  .put(WriteReceipt.REVISION, told.revision));

  private final WhatIf whatIf;
  private final RevisionSeal seal;

  public WhatIfRoutes(WhatIf whatIf, RevisionSeal seal) {
    this.whatIf = whatIf;
    this.seal = seal;
  }

  public List<Route<?, ?>> routes() {
    return List.of(
        Route.of(
                Method.POST,
                AccessRoutes.ACCESS + "/whatif",
                "access.whatif",
                "Who would gain and lose which rights? Nothing is written")
            .reads(TRIAL, example())
            .needs(new RequiredRight.Administers<>(new ScopeSource.Inside<>()))
            .takes(Route.ACCOUNT)
            .answers(Reply.json(200, TOLD), this::tried));
  }

  private static JsonNode example() {
    ObjectNode trial = JsonNodeFactory.instance.objectNode();
    trial.putArray("individuals").add(AccessShapes.individualExample());
    return trial;
  }

  private Answer<WhatIfAnswer> tried(Call<Trial> call) {
    Trial trial = call.body();
    if (trial.individuals.size() > MAX_INPUTS) {
      throw new VeridexException(
          Problem.of(ErrorCode.BAD_REQUEST, "too many individuals to try at once")
              .at("/individuals")
              .with("max", MAX_INPUTS));
    }
    AtRevision<WhatIf.Outcome> outcome =
        whatIf.tried(
            Namespace.of(call.scope()),
            trial.individuals.stream().map(MessageInput::of).toList(),
            trial.bucket,
            new AsOf.Now(trial.atLeast.map(seal::open)));
    String revision = seal.seal(outcome.revision());
    return Answer.at(revision, new WhatIfAnswer(outcome.value(), revision));
  }

  /// One subject and one resource of each class, right by right.
  private static List<Sample> samples(List<ClassChange> classes) {
    List<Sample> samples = new ArrayList<>();
    for (ClassChange changed : classes) {
      for (int bit = 1; bit <= Rights.ALL && !changed.resource().isEmpty(); bit <<= 1) {
        int either = changed.appears() | changed.vanishes();
        if ((either & bit) != 0 && samples.size() < MAX_SAMPLES) {
          samples.add(
              new Sample(
                  changed.subject(), changed.resource(), bit, (changed.appears() & bit) != 0));
        }
      }
    }
    return samples;
  }
}
