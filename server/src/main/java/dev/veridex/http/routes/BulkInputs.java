package dev.veridex.http.routes;

import dev.veridex.common.ErrorCode;
import dev.veridex.common.Problem;
import dev.veridex.common.VeridexException;
import dev.veridex.http.Answer;
import dev.veridex.http.Call;
import dev.veridex.http.LineStream;
import dev.veridex.http.Payload;
import dev.veridex.http.Route;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// Inputs in bulk of one route: one object, an array of them, or a stream that is answered line by
/// line while it comes.
///
/// @param <I> an input, parsed
/// @param <R> the results of some inputs
public interface BulkInputs<I, R> {
  /// More inputs are sent as lines, which need not be in memory all at once.
  int MAX_INPUTS = 20_000;

  /// The input of a JSON value.
  I ofJson(JsonNode value);

  /// The input of a part of a stream; one that cannot be read is an input, too, with its own
  /// result.
  ///
  /// @param protobuf whether it is a message, and not a line of JSON
  I ofPart(byte[] part, boolean protobuf);

  /// Takes inputs.
  R take(List<I> inputs);

  /// The answer to inputs that came at once.
  ///
  /// @param single whether it was one object, and no array
  Answer<Payload> answer(R results, boolean single);

  /// The lines of the results of some parts of a stream.
  BulkStream.Results lines(R results);

  /// Handles the inputs of a call.
  ///
  /// @param resultBytes about the size of a result on its way out
  /// @param tooMany the sentence for an array that is too long
  default Answer<Payload> handle(Call<Route.Inputs> call, long resultBytes, String tooMany) {
    return switch (call.body()) {
      case Route.Inputs.All(var values, boolean single) -> {
        if (values.size() > MAX_INPUTS) {
          throw new VeridexException(
              Problem.of(ErrorCode.BODY_TOO_LARGE, tooMany).with("max", MAX_INPUTS));
        }
        call.room().accept(resultBytes * values.size());
        yield answer(take(values.stream().map(this::ofJson).toList()), single);
      }
      case Route.Inputs.Lines(LineStream lines, boolean protobuf) ->
          Answer.of(
              BulkStream.answer(
                  call,
                  lines,
                  some -> lines(take(some.stream().map(each -> ofPart(each, protobuf)).toList()))));
    };
  }
}
