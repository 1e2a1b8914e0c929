// Subtitles of what was spoken, by the times of its words: SubRip and WebVTT.

const LINE = 42; // characters
const LINES = 2;
const LONG_PAUSE = 1; // seconds
/** SRT cannot escape: an invisible character keeps players from seeing a tag or an arrow. */
const MARKUP = /(?<=-)(?=->)|(?<=[<{])/g;

/** What is shown for a while: `{start, end, lines}`. A sentence ends it, as does a pause. */
export function cues(text, words) {
  const found = [];
  for (const { at, length, start, end } of words) {
    const word = text.slice(at, at + length).replace(/\s+/g, " ");
    const cue = found.at(-1);
    const ends = !cue || /[.!?…]["'”’»)\]]*$/.test(cue.lines.at(-1)) || start - cue.end > LONG_PAUSE;
    const fits = cue && cue.lines.at(-1).length + 1 + word.length <= LINE;
    if (ends || (!fits && cue.lines.length === LINES)) found.push({ start, end, lines: [word] });
    else if (fits) cue.lines.push(`${cue.lines.pop()} ${word}`);
    else cue.lines.push(word);
    found.at(-1).end = end;
  }
  return found;
}

function clock(seconds, mark) {
  const all = Math.round(1000 * seconds);
  const [hours, minutes, rest, thousandths] = [all / 3.6e6, (all / 6e4) % 60, (all / 1000) % 60, all % 1000].map(Math.floor);
  const two = (value) => String(value).padStart(2, "0");
  return `${two(hours)}:${two(minutes)}:${two(rest)}${mark}${String(thousandths).padStart(3, "0")}`;
}

const times = ({ start, end }, mark) => `${clock(start, mark)} --> ${clock(end, mark)}`;
const escaped = (line) => line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A file of them: "srt" or "vtt". */
export function subtitles(text, words, format) {
  const shown = cues(text, words);
  const lines = format === "vtt"
    ? ["WEBVTT", "", ...shown.map((cue) => `${times(cue, ".")}\n${cue.lines.map(escaped).join("\n")}\n`)]
    : shown.map((cue, at) => `${at + 1}\n${times(cue, ",")}\n${cue.lines.map((line) => line.replace(MARKUP, "\u2060")).join("\n")}\n`);
  return new Blob([lines.join("\n")], { type: format === "vtt" ? "text/vtt" : "application/x-subrip" });
}
