// How near a small voice is to the recordings, while it learns: a curve, and the same as numbers.

import { el } from "../dom.js";
import { LOCALE, t } from "../i18n.js";
import { joined, percent } from "../words.js";
import { chart } from "./chart.js";
import { Losses, SERIES } from "./losses.js";

const NEAR = SERIES.find(({ id }) => id === "validation");

/** `add` takes the data of an event; before the second one, nothing is shown. `signal` ends its life. */
export function lessonCurve(signal) {
  const losses = new Losses();
  const { element: drawing, draw } = chart({ losses, series: [NEAR], signal });
  const scale = el("small", { hidden: true }, t("train.logarithmic"));
  const body = el("tbody");
  const element = el("section", { class: "part", hidden: true },
    el("figure", { class: "loss" }, el("figcaption", {}, el("h2", {}, t("train.difference"), el("small", {}, t("train.distance")), scale)), drawing),
    el("details", {}, el("summary", {}, t("train.numbers")), el("table", { class: "losses" },
      el("thead", {}, el("tr", {}, [t("train.step"), t("train.difference"), t("train.in_tune")].map((name) => el("th", { scope: "col" }, name)))), body)));
  const tuned = new Map(); // by step: the share of the time in which it is in tune

  function add(entry) {
    losses.add(entry);
    tuned.set(entry.step, entry.in_tune);
    const points = losses.of(NEAR.id);
    losses.bestStep = points.reduce((best, point) => (point.value < best.value ? point : best)).step;
    element.hidden = points.length < 2;
    scale.hidden = !draw();
    body.replaceChildren(...points.toReversed().map(({ step, value }) => el("tr", {},
      el("th", { scope: "row" }, joined(step === losses.bestStep && t("train.best"), step.toLocaleString(LOCALE))),
      el("td", {}, NEAR.show(value)), el("td", {}, percent(tuned.get(step), 1)))));
  }
  return { element, add };
}
