// What is said of a take.

import { el, note } from "../dom.js";
import { decimal, known, t } from "../i18n.js";
import { sentence } from "../words.js";

const HINTS = {
  off: t("record.hint_off"),
  starting: t("record.hint_starting"),
  ready: t("record.hint_ready"),
  recording: t("record.hint_recording"),
  saving: t("record.hint_saving"),
};

/** The words for those who do not see the page, and the view for those who do. */
export function verdict(prompt, mode, problem) {
  if (problem) return said("bad", problem[0], [{ remedy: problem[1] }]);
  if (["starting", "recording", "saving"].includes(mode)) return hint(HINTS[mode]);
  const { take } = prompt;
  if (!take) return hint(prompt.state === "skipped" ? t("record.hint_skipped") : HINTS[mode]);
  if (!take.usable) return said("bad", t("record.unusable"), take.findings);
  if (take.findings.length) return said("fair", t("record.fair"), take.findings);
  return said("good", t("record.good"), [], facts(take));
}

function facts({ seconds, speech_dbfs: speech, noise_dbfs: noise }) {
  return t("record.take_facts", { seconds: decimal(seconds, 1), speech: Math.round(speech), noise: Math.round(speech - noise) });
}

const hint = (words) => [words, note(words)];

/** A finding in the person's language, where that has words for what can be done about it. */
function inWords({ kind, problem, remedy }) {
  const fix = known("fix", kind, "");
  return fix ? [known("kind", kind, problem), fix] : [problem, remedy];
}

export function said(quality, title, findings, more) {
  const told = findings.map(inWords);
  const lines = told.map(([problem, remedy]) =>
    el("li", {}, problem && el("span", {}, sentence(problem)), remedy && el("span", { class: "remedy" }, sentence(remedy))));
  const words = [title, ...told.flat()].filter(Boolean).map(sentence).join(" ");
  return [words, el("div", {},
    el("p", {}, el("strong", { class: `verdict ${quality}` }, title), more && el("span", { class: "note number" }, more)),
    lines.length > 0 && el("ul", {}, lines))];
}
