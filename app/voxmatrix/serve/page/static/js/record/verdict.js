// What is said of a take.

import { el, note } from "../dom.js";
import { sentence } from "../words.js";

const HINTS = {
  off: "Turn on the microphone with the round button.",
  starting: "Waiting for the microphone. The browser may ask you to allow it.",
  ready: "Press the round button, wait a moment, read the sentence, and press it again.",
  recording: "Recording. The round button ends it.",
  saving: "Judging the recording…",
};

/** The words for those who do not see the page, and the view for those who do. */
export function verdict(prompt, mode, problem) {
  if (problem) return said("bad", problem[0], [{ remedy: problem[1] }]);
  if (["starting", "recording", "saving"].includes(mode)) return hint(HINTS[mode]);
  const { take } = prompt;
  if (!take) return hint(prompt.state === "skipped" ? "Skipped. Record it anyway, or continue." : HINTS[mode]);
  if (!take.usable) return said("bad", "Not usable: record it again", take.findings);
  if (take.findings.length) return said("fair", "Usable, but could be better", take.findings);
  return said("good", "Good take", [], facts(take));
}

function facts({ seconds, speech_dbfs: speech, noise_dbfs: noise }) {
  return [`${seconds.toFixed(1)} s`, `speech at ${Math.round(speech)} dBFS`, `noise ${Math.round(speech - noise)} dB below`].join(" · ");
}

const hint = (words) => [words, note(words)];

export function said(quality, title, findings, more) {
  const lines = findings.map(({ problem, remedy }) =>
    el("li", {}, problem && el("span", {}, sentence(problem)), remedy && el("span", { class: "remedy" }, sentence(remedy))));
  const words = [title, ...findings.flatMap(({ problem, remedy }) => [problem, remedy])].filter(Boolean).map(sentence).join(" ");
  return [words, el("div", {},
    el("p", {}, el("strong", { class: `verdict ${quality}` }, title), more && el("span", { class: "note number" }, more)),
    lines.length > 0 && el("ul", {}, lines))];
}
