package dev.veridex.index.lucene.text;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;

/// Takes a text apart into grams: at each character the three that begin there, fewer at the end.
/// So whatever is part of the text is a row of grams, or, if it is short, begins one.
public final class GramTokenizer extends Tokenizer {
  /// The characters of a gram.
  public static final int SIZE = 3;

  private static final int BUFFER = 1024;

  private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
  private final OffsetAttribute offset = addAttribute(OffsetAttribute.class);
  private int[] points = new int[0];
  private int[] starts = new int[0];
  private int next;

  /// The grams of a text at their positions, as small letters.
  public static List<String> grams(String text) {
    int[] points = folded(text);
    List<String> grams = new ArrayList<>();
    for (int i = 0; i < points.length; i++) {
      grams.add(new String(points, i, Math.min(SIZE, points.length - i)));
    }
    return grams;
  }

  /// The characters of a text as small letters: as many as it has.
  static int[] folded(String text) {
    return text.codePoints().map(Character::toLowerCase).toArray();
  }

  @Override
  public void reset() throws IOException {
    super.reset();
    StringBuilder text = new StringBuilder();
    char[] some = new char[BUFFER];
    for (int read = input.read(some); read >= 0; read = input.read(some)) {
      text.append(some, 0, read);
    }
    points = folded(text.toString());
    starts = new int[points.length + 1];
    int at = 0;
    for (int i = 0; i < points.length; i++) {
      starts[i] = at;
      at += Character.charCount(text.codePointAt(at));
    }
    starts[points.length] = at;
    next = 0;
  }

  @Override
  public boolean incrementToken() {
    if (next == points.length) {
      return false;
    }
    clearAttributes();
    int end = Math.min(points.length, next + SIZE);
    for (int i = next; i < end; i++) {
      term.append(Character.toString(points[i]));
    }
    offset.setOffset(correctOffset(starts[next]), correctOffset(starts[end]));
    next++;
    return true;
  }

  @Override
  public void end() throws IOException {
    super.end();
    int end = correctOffset(starts.length == 0 ? 0 : starts[starts.length - 1]);
    offset.setOffset(end, end);
  }
}
