// How many recordings last how long, or are read how fast: bars, of those that are used and those that are left out.

import { el, note, svg } from "../dom.js";
import { LOCALE, t } from "../i18n.js";
import { ticks } from "./chart.js";

const HEIGHT = 100; // units of the drawing
const GAP = 0.12; // of a bar's width
const TENTH = 0.1; // of the recordings, at each end, that are not usual

/**
 * A figure of `{width, used, left_out}`: counts in bins of `width` from 0, the last with all beyond. `usual` gets what
 * most are between, and says so.
 * @param {{width: number, used: number[], left_out: number[]}} found
 * @param {{title: string, unit: string, usual: (low: string, high: string) => string}} words
 */
export function distribution({ width, used, left_out: leftOut }, { title, unit, usual }) {
  const counts = used.map((count, at) => count + leftOut[at]);
  const first = counts.findIndex((count) => count > 0);
  const [end, most] = [used.length, Math.max(...counts)];
  const edge = (place) => (place * width).toLocaleString(LOCALE, { maximumSignificantDigits: 3 });
  const range = (at) => (at === end - 1 ? t("train.range_last", { low: edge(at) }) : t("train.range", { low: edge(at), high: edge(at + 1) }));
  const [low, high] = spread(used.some(Boolean) ? used : counts);
  const bars = (kind, from, to) => svg("path", { class: kind, d: counts.map((_, at) => bar(at, from[at] / most, to[at] / most)).join("") });
  const drawing = svg("svg", { viewBox: `0 0 ${end} ${HEIGHT}`, preserveAspectRatio: "none" },
    bars("used", counts.map(() => 0), used), bars("left-out", used, counts));
  const readout = el("p", { class: "readout number", hidden: true });
  const facts = (at) => t("train.bar", { range: range(at), unit, used: used[at], left: leftOut[at] });
  drawing.addEventListener("pointermove", ({ clientX }) => {
    const { left, width: wide } = drawing.getBoundingClientRect();
    const at = Math.min(end - 1, Math.max(0, Math.floor(((clientX - left) / wide) * end)));
    readout.hidden = !counts[at];
    readout.textContent = facts(at);
  });
  drawing.addEventListener("pointerleave", () => (readout.hidden = true));
  return el("figure", { class: "distribution" },
    el("figcaption", {}, el("h2", {}, title), el("div", { class: "keys" }, el("span", { class: "key used" }, t("train.used")), leftOut.some(Boolean) && el("span", { class: "key left-out" }, t("train.left_out_count")))),
    el("div", { class: "plot number", "aria-hidden": "true" }, readout,
      el("div", { class: "counts" }, ticks(0, most, 4).filter((count) => count && Number.isInteger(count)).map((count) => mark(count, "bottom", count / most))),
      drawing,
      el("div", { class: "values" }, ticks(0, end * width, 5).map((value) => mark(value, "left", value / width / end))),
      note(unit)),
    note(usual(edge(low), edge(high))),
    el("details", {}, el("summary", {}, t("train.numbers")), table(counts.map((_, at) => at).slice(first), { unit, range, used, leftOut })));
}

/** A number beside an axis, at a share of it from `side`. */
function mark(value, side, share) {
  const element = el("span", {}, value.toLocaleString(LOCALE));
  element.style.setProperty(side, `${100 * share}%`);
  return element;
}

function bar(at, low, high) {
  return high > low ? `M${at + GAP / 2} ${HEIGHT * (1 - low)}V${HEIGHT * (1 - high)}h${1 - GAP}V${HEIGHT * (1 - low)}z` : "";
}

/** Between which edges of bins all are, but for the tenth at each end. */
function spread(counts) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  const ends = counts.map((count) => (before += count));
  return [ends.findIndex((sum) => sum > TENTH * all), ends.findIndex((sum) => sum >= (1 - TENTH) * all) + 1];
}

function table(places, { unit, range, used, leftOut }) {
  return el("table", { class: "losses" },
    el("thead", {}, el("tr", {}, [unit, t("train.used"), t("train.left_out_count")].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, places.map((at) => el("tr", {}, el("th", { scope: "row" }, range(at)), [used, leftOut].map((counts) => el("td", {}, counts[at].toLocaleString(LOCALE)))))));
}
