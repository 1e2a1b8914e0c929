// What was found in recordings, and what they give.

import { el, figures, note, trouble } from "../dom.js";
import { known, parts, t } from "../i18n.js";
import { clock, language, sentence, spaced } from "../words.js";

const MOST = 50; // lines of one kind of problem; the rest is counted

/** `error` says why the recordings cannot be used. */
export function report({ clips, seconds, expect, speakers, language: code, problems }, error, better) {
  const leftOut = new Set(problems.filter(({ severity }) => severity === "error").map(({ place, path }) => `${place} ${path}`)).size;
  const facts = [
    [t("train.recordings"), clips], [t("train.speech"), clock(seconds, 0)], [t("train.language"), language(code)],
    speakers.length > 1 && [t("train.speakers"), speakers.length], leftOut > 0 && [t("train.left_out_count"), leftOut],
  ];
  return el("section", { class: "report" },
    el("dl", { class: "figures" }, figures(facts)),
    error ? trouble(clips ? sentence(error.message) : t("train.unusable"))
      : el("p", {}, parts("train.expect", { words: el("strong", {}, expect) })),
    problems.length > 0 && kinds(problems),
    !problems.length && !error && note(t("train.all_usable")), better);
}

/** The problems of each kind, folded. */
function kinds(problems) {
  const byKind = Map.groupBy(problems, ({ kind }) => kind);
  return el("div", {}, [...byKind].map(([kind, found]) => {
    const isError = found.some(({ severity }) => severity === "error");
    return el("details", { class: `kind ${isError ? "error" : "warning"}` },
      el("summary", {}, el("span", { class: "mark" }, t(isError ? "train.left_out" : "train.warning")), " ", t("train.kind_count", { kind: known("kind", kind, spaced(kind.replaceAll("-", "_"))), recordings: t("count.recordings", { count: found.length }) })),
      el("p", { class: "remedy" }, found[0].remedy),
      el("ul", {}, found.slice(0, MOST).map(({ id, path, problem }) => el("li", {}, el("code", {}, path || id), ` ${problem}`))),
      found.length > MOST && note(t("train.and_more", { count: found.length - MOST })));
  }));
}
