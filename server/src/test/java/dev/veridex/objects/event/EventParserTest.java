package dev.veridex.objects.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.veridex.json.JsonText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.JsonNodeFactory;

/// The table of events, and the envelopes around them.
final class EventParserTest {
  private static List<ParsedRecord> parse(String json) {
    return EventParser.parse(JsonText.read(json.replace('\'', '"').getBytes(UTF_8)));
  }

  private static String notification(String name) {
    return "{'Records':[{'eventTime':'2026-01-31T12:00:00Z','eventName':'%s','s3':{'bucket':{'name':'lab'},'object':{'key':'a','sequencer':'01'}}}]}"
        .formatted(name);
  }

  private static String bridge(String name, String reason, String deletion) {
    return "{'time':'2026-01-31T12:00:00Z','detail-type':'%s','detail':{'bucket':{'name':'lab'},'object':{'key':'a','sequencer':'01'},'reason':'%s','deletion-type':'%s'}}"
        .formatted(name, reason, deletion);
  }

  private static ObjectEvent event(String json) {
    return ((ParsedRecord.Event) parse(json).getFirst()).event();
  }

  private static String text(ObjectEvent event) {
    return "%s %s%s"
        .formatted(
            event.identity().type().text(),
            event.details().reason().text(),
            event.details().marker() ? " marker" : "");
  }

  @ParameterizedTest
  @CsvSource({
    "ObjectCreated:Put, Created CreatedPut",
    "ObjectCreated:Post, Created CreatedPost",
    "ObjectCreated:Copy, Created CreatedCopy",
    "ObjectCreated:CompleteMultipartUpload, Created CreatedCompleteMultipartUpload",
    "ObjectRestore:Completed, Created Restored",
    "ObjectRestore:Delete, Created RestoreExpired",
    "LifecycleTransition, Created StorageClassChanged",
    "IntelligentTiering, Created StorageClassChanged",
    "ObjectRemoved:DeleteMarkerCreated, Deleted Deleted marker",
    "LifecycleExpiration:DeleteMarkerCreated, Deleted DeletedLifecycle marker",
    "ObjectRemoved:Delete, Deleted Deleted",
    "LifecycleExpiration:Delete, Deleted DeletedLifecycle",
  })
  void notificationsAreClassified(String name, String expected) {
    assertThat(text(event(notification(name)))).isEqualTo(expected);
    // Some senders put the name of the service before it.
    assertThat(text(event(notification("s3:" + name)))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "Object Created, PutObject, , Created CreatedPut",
    "Object Created, POST Object, , Created CreatedPost",
    "Object Created, CopyObject, , Created CreatedCopy",
    "Object Created, CompleteMultipartUpload, , Created CreatedCompleteMultipartUpload",
    "Object Created, , , Created Created",
    "Object Restore Completed, , , Created Restored",
    "Object Restore Expired, , , Created RestoreExpired",
    "Object Storage Class Changed, , , Created StorageClassChanged",
    "Object Access Tier Changed, , , Created StorageClassChanged",
    "Object Deleted, DeleteObject, Delete Marker Created, Deleted Deleted marker",
    "Object Deleted, Lifecycle Expiration, Delete Marker Created, Deleted DeletedLifecycle marker",
    "Object Deleted, DeleteObject, Permanently Deleted, Deleted Deleted",
    "Object Deleted, Lifecycle Expiration, Permanently Deleted, Deleted DeletedLifecycle",
  })
  void eventBridgeIsClassified(String name, String reason, String deletion, String expected) {
    assertThat(
            text(
                event(
                    bridge(name, reason == null ? "" : reason, deletion == null ? "" : deletion))))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "ObjectTagging:Put",
    "ObjectAcl:Put",
    "ReducedRedundancyLostObject",
    "Replication:OperationFailedReplication",
    "ObjectRestore:Post",
    "Whatever",
  })
  void anythingElseIsSkipped(String name) {
    assertThat(parse(notification(name))).singleElement().isInstanceOf(ParsedRecord.Skipped.class);
    assertThat(parse(bridge(name, "", "")))
        .singleElement()
        .isInstanceOf(ParsedRecord.Skipped.class);
  }

  private static String quoted(String json) {
    return new String(
        JsonText.write(JsonNodeFactory.instance.stringNode(json.replace('\'', '"'))), UTF_8);
  }

  @Test
  void envelopesMayBeInEnvelopes() {
    String notification = notification("ObjectCreated:Put");
    String sns = "{\"Type\":\"Notification\",\"Message\":" + quoted(notification) + "}";
    String sqs = "{\"Messages\":[{\"Body\":" + quoted(sns) + "}]}";
    String lambda = "{\"Records\":[{\"body\":" + quoted(sns) + "},{\"Sns\":" + sns + "}]}";
    ObjectEvent expected = event(notification);
    assertThat(event(sns)).isEqualTo(expected);
    assertThat(event(sqs)).isEqualTo(expected);
    assertThat(parse(lambda))
        .allSatisfy(each -> assertThat(((ParsedRecord.Event) each).event()).isEqualTo(expected))
        .hasSize(2);
  }

  @Test
  void whatIsInAnEnvelopeAndIsNotJsonIsReportedByItself() {
    String sns = "{\"Type\":\"Notification\",\"Message\":\"{\\\"Records\\\":[\"}";
    assertThat(parse(sns)).singleElement().isInstanceOf(ParsedRecord.Malformed.class);
    String two =
        "{\"Records\":[{\"body\":\"no json\"},{\"body\":"
            + quoted(notification("ObjectCreated:Put"))
            + "}]}";
    assertThat(parse(two)).hasSize(2);
    assertThat(parse(two).getFirst()).isInstanceOf(ParsedRecord.Malformed.class);
    assertThat(parse(two).getLast()).isInstanceOf(ParsedRecord.Event.class);
  }
}
