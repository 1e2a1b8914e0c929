// What was found in recordings, and what they give.

import { el, figures, filled, note, trouble } from "../dom.js";
import { known, parts, t } from "../i18n.js";
import { clock, language, sentence, spaced } from "../words.js";
import { distribution } from "./distribution.js";

const FEW = 5; // lines are seen at once: more are scrolled, and by keys only where the focus can be
const MOST = 50; // lines of one kind of problem; the rest is counted

/** `error` says why the recordings cannot be used. */
export function report({ clips, seconds, level, expect, speakers, language: code, problems, durations, paces }, error, better) {
  const leftOut = new Set(problems.filter(({ severity }) => severity === "error").map(({ place, path }) => `${place} ${path}`)).size;
  const facts = [
    [t("train.recordings"), clips], [t("train.speech"), clock(seconds, 0)], [t("train.language"), language(code)],
    speakers.length > 1 && [t("train.speakers"), speakers.length], leftOut > 0 && [t("train.left_out_count"), leftOut],
  ];
  return el("section", { class: "report" },
    el("dl", { class: "figures" }, figures(facts)),
    error ? trouble(clips ? sentence(error.message) : t("train.unusable"))
      : el("p", {}, parts("train.expect", { words: el("strong", {}, known("expect", level, expect)) })),
    problems.length > 0 && kinds(problems, clips + leftOut),
    !problems.length && !error && note(t("train.all_usable")), better,
    el("div", { class: "distributions" },
      durations?.used.length > 0 && distribution(durations, { title: t("train.lengths"), unit: t("train.seconds"), usual: (low, high) => t("train.usual_length", { low, high }) }),
      paces?.used.length > 0 && distribution(paces, { title: t("train.paces"), unit: t("train.letters"), usual: (low, high) => t("train.usual_pace", { low, high }) })));
}

/** The problems of each kind, folded, with the share of the recordings that have it: first what leaves them out. */
function kinds(problems, all) {
  const isError = ({ severity }) => severity === "error";
  const byKind = [...Map.groupBy(problems, ({ kind }) => kind)].map(([kind, found]) => ({ kind, found, out: found.some(isError) }));
  byKind.sort((one, other) => Number(other.out) - Number(one.out) || other.found.length - one.found.length);
  return el("div", {}, byKind.map(({ kind, found, out }) => {
    const { remedy } = found.find(isError) ?? found[0];
    return el("details", { class: `kind ${out ? "error" : "warning"}` },
      el("summary", {}, el("span", { class: "mark" }, t(out ? "train.left_out" : "train.warning")), " ",
        t("train.kind_count", { kind: known("kind", kind, spaced(kind.replaceAll("-", "_"))), recordings: t("count.recordings", { count: found.length }) }),
        filled(Math.min(1, found.length / all))),
      el("p", { class: "remedy" }, known("fix", kind, remedy)),
      el("ul", { tabindex: found.length > FEW && "0" }, found.slice(0, MOST).map(({ id, path, problem }) => el("li", {}, el("code", {}, path || id), ` ${problem}`))),
      found.length > MOST && note(t("train.and_more", { count: found.length - MOST })));
  }));
}
