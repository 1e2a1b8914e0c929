// What was found in recordings, and what they give.

import { el, figures, note, trouble } from "../dom.js";
import { clock, count, language, sentence, spaced } from "../words.js";

const MOST = 50; // lines of one kind of problem; the rest is counted

/** `error` says why the recordings cannot be used. */
export function report({ clips, seconds, expect, speakers, language: code, problems }, error, better) {
  const leftOut = new Set(problems.filter(({ severity }) => severity === "error").map(({ place, path }) => `${place} ${path}`)).size;
  const facts = [
    ["Recordings", clips], ["Speech", clock(seconds, 0)], ["Language", language(code)],
    speakers.length > 1 && ["Speakers", speakers.length], leftOut > 0 && ["Left out", leftOut],
  ];
  return el("section", { class: "report" },
    el("dl", { class: "figures" }, figures(facts)),
    error ? trouble(clips ? sentence(error.message) : "None of these recordings can be used.")
      : el("p", {}, "What to expect: ", el("strong", {}, expect), "."),
    problems.length > 0 && kinds(problems),
    !problems.length && !error && note("All of them can be used."), better);
}

/** The problems of each kind, folded. */
function kinds(problems) {
  const byKind = Map.groupBy(problems, ({ kind }) => kind);
  return el("div", {}, [...byKind].map(([kind, found]) => {
    const isError = found.some(({ severity }) => severity === "error");
    return el("details", { class: `kind ${isError ? "error" : "warning"}` },
      el("summary", {}, el("span", { class: "mark" }, isError ? "left out" : "warning"), ` ${spaced(kind.replaceAll("-", "_"))}: ${count(found.length, "recording")}`),
      el("p", { class: "remedy" }, found[0].remedy),
      el("ul", {}, found.slice(0, MOST).map(({ id, path, problem }) => el("li", {}, el("code", {}, path || id), ` ${problem}`))),
      found.length > MOST && note(`and ${found.length - MOST} more`));
  }));
}
