// The losses of a training, as curves and numbers.

import { el, note } from "../dom.js";
import { LOCALE, t } from "../i18n.js";
import { joined } from "../words.js";
import { chart } from "./chart.js";
import { SERIES } from "./losses.js";

const ROWS = 12; // of the table: the last validations or, before the first, the last steps

export function curves(losses, signal) {
  const [mel, validation, ...others] = SERIES;
  const large = chart({ losses, series: [mel, validation], signal });
  const small = others.map((each) => ({ each, chart: chart({ losses, series: [each], small: true, signal }), value: el("span", { class: "number" }) }));
  const now = el("p", { class: "hidden", role: "status" });
  const body = el("tbody");
  const scale = el("small", { hidden: true }, t("train.logarithmic"));
  const waiting = el("p", { class: "note waiting" }, t("train.waiting"));
  const figure = el("figure", { class: "loss" },
    el("figcaption", {}, el("h2", {}, t("train.difference"), el("small", {}, t("train.mel")), scale),
      el("div", { class: "keys" }, el("span", { class: "key mel" }, mel.name), el("span", { class: "key validation" }, t("train.validation_about", { name: validation.name })))),
    large.element, waiting, now);
  const element = el("div", { class: "curves-of" }, figure,
    el("div", { class: "smalls" }, small.map(({ each, chart: { element: drawing }, value }) =>
      el("figure", { class: "loss" }, el("figcaption", {}, el("h3", {}, each.name), value), drawing))), note(t("train.smalls_about")),
    el("details", {}, el("summary", {}, t("train.numbers")), el("table", { class: "losses" },
      el("thead", {}, el("tr", {}, [t("train.step"), ...SERIES.map(({ name }) => name)].map((name) => el("th", { scope: "col" }, name)))), body)));
  let due = false;

  /** Draw again, soon: events come many at a time. */
  function update() {
    if (due) return;
    due = true;
    requestAnimationFrame(show);
  }
  function show() {
    due = false;
    waiting.hidden = losses.lastStep > 0;
    element.classList.toggle("none", losses.lastStep === 0);
    scale.hidden = !large.draw();
    for (const { each, chart: { draw }, value } of small) {
      draw();
      value.textContent = text(each, losses.of(each.id).at(-1));
    }
    const heard = losses.of("validation").at(-1);
    const said = heard ? t("train.validation_said", { value: text(validation, heard), step: String(heard.step) }) : "";
    if (now.textContent !== said) now.textContent = said;
    body.replaceChildren(...rows(losses));
  }
  update();
  return { element, update };
}

function rows(losses) {
  const validations = losses.of("validation").map(({ step }) => step);
  const all = validations.length ? validations : losses.of("mel").map(({ step }) => step);
  const steps = all.filter((step, at) => at >= all.length - ROWS || step === losses.bestStep).reverse();
  const at = (id, step) => losses.of(id).findLast((point) => point.step <= step);
  return steps.map((step) => el("tr", {}, el("th", { scope: "row" }, joined(step === losses.bestStep && t("train.best"), step.toLocaleString(LOCALE))), SERIES.map((each) => el("td", {}, text(each, at(each.id, step))))));
}

const text = ({ show }, point) => (point ? show(point.value) : "–");
