// Draws curves of losses. They grow as the training goes on.

import { el, svg } from "../dom.js";
import { LOCALE, t } from "../i18n.js";

const ROOM = { left: 44, right: 12, top: 10, bottom: 24 };
const BARE = { left: 0, right: 0, top: 3, bottom: 3 };
const LOGARITHMIC = 4; // times as high as low: the first steps would flatten all others

/**
 * `series` are drawn on one scale, the last on top; a small chart has no axes. `draw` tells whether that scale is
 * logarithmic. `signal` ends its life.
 */
export function chart({ losses, series, small = false, signal }) {
  const drawing = svg("svg", { class: "curves", "aria-hidden": "true" });
  const readout = el("p", { class: "readout number", hidden: true });
  const element = el("div", { class: small ? "chart small" : "chart" }, drawing, readout);
  let scale = null;

  function draw() {
    const { clientWidth: width, clientHeight: height } = drawing;
    if (!width) return false;
    const curves = series.map(({ id }) => losses.thinned(id, Math.max(20, width / 2)));
    const all = curves.flat();
    drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    scale = all.length ? scaleOf(all, width, height, small ? BARE : ROOM, losses.lastStep) : null;
    if (!scale) drawing.replaceChildren();
    else drawing.replaceChildren(...(small ? [] : axes(scale, width, height)), ...curves.flatMap((points, at) => curve(points, scale, series[at].id)), ...(small ? [] : best(losses, series.at(-1).id, scale)));
    return Boolean(scale?.isLog);
  }
  function point(event) {
    if (!scale || small) return;
    const step = scale.stepAt(event.offsetX);
    const near = series.map((each) => [each, nearest(losses.of(each.id), step)]).filter(([, found]) => found);
    readout.hidden = !near.length;
    if (!near.length) return;
    const [, { step: shown }] = near[0];
    readout.textContent = `${t("train.step_number", { step: shown })} · ${near.map(([each, { value }]) => `${each.name} ${each.show(value)}`).join(" · ")}`;
    drawing.querySelector(".cursor")?.remove();
    const x = scale.x(shown);
    drawing.append(svg("line", { class: "cursor", x1: x, x2: x, y1: ROOM.top, y2: scale.bottom }));
  }
  function leave() {
    readout.hidden = true;
    drawing.querySelector(".cursor")?.remove();
  }

  drawing.addEventListener("pointermove", point);
  drawing.addEventListener("pointerleave", leave);
  const resized = new ResizeObserver(draw);
  resized.observe(element);
  signal.addEventListener("abort", () => resized.disconnect());
  return { element, draw };
}

function scaleOf(points, width, height, room, lastStep) {
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isLog = room === ROOM && least > 0 && most > LOGARITHMIC * least;
  const of = isLog ? Math.log : (/** @type {number} */ value) => value;
  const spare = (of(most) - of(least) || Math.abs(of(most)) || 1) * 0.06;
  const [low, high] = [of(least) - spare, of(most) + spare];
  const [wide, bottom] = [width - room.left - room.right, height - room.bottom];
  const last = Math.max(1, lastStep);
  return {
    last, bottom, top: room.top, left: room.left, right: width - room.right, isLog,
    marks: isLog ? roundBetween(Math.exp(low), Math.exp(high)) : ticks(low, high, height / 48),
    x: (step) => room.left + (step / last) * wide,
    y: (value) => bottom - ((of(value) - low) / (high - low)) * (bottom - room.top),
    stepAt: (x) => ((x - room.left) / wide) * last,
  };
}

function curve(points, { x, y }, id) {
  if (!points.length) return [];
  const path = points.map(({ step, value }, at) => `${at ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const last = points.at(-1);
  const parts = points.length > 1 ? [svg("path", { class: `curve ${id}`, d: path })] : [];
  return [...parts, svg("circle", { class: `end ${id}`, cx: x(last.step), cy: y(last.value), r: 3.5 })];
}

/** A line at the step of the best validation, and a ring around it. */
function best(losses, id, { x, y, top, bottom, left, right }) {
  const found = losses.of(id).find(({ step }) => step === losses.bestStep);
  if (!found) return [];
  const at = x(found.step);
  const isRight = at > (left + right) / 2;
  return [
    svg("line", { class: "best", x1: at, x2: at, y1: top, y2: bottom }),
    svg("circle", { class: "best", cx: at, cy: y(found.value), r: 6 }),
    svg("text", { x: at + (isRight ? -8 : 8), y: top + 10, "text-anchor": isRight ? "end" : "start" }, t("train.best_at", { step: found.step })),
  ];
}

function axes(scale, width, height) {
  const lines = scale.marks.flatMap((value) => [
    svg("line", { class: "grid", x1: scale.left, x2: scale.right, y1: scale.y(value), y2: scale.y(value) }),
    svg("text", { x: scale.left - 8, y: scale.y(value) + 4, "text-anchor": "end" }, value.toLocaleString(LOCALE)),
  ]);
  const steps = ticks(0, scale.last, width / 90).filter((step) => step > 0 && Number.isInteger(step));
  return [...lines, svg("text", { x: scale.left - 8, y: height - 6, "text-anchor": "end" }, t("train.step")), ...steps.map((step) =>
    svg("text", { x: scale.x(step), y: height - 6, "text-anchor": scale.x(step) > width - 40 ? "end" : "middle" }, step.toLocaleString(LOCALE)))];
}

/** Round numbers between two that are about as far from each other on a logarithmic scale. */
function roundBetween(low, high) {
  const found = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    found.push(...[1, 1.5, 2, 3, 5, 7].map((factor) => Number((factor * power).toPrecision(2))));
  }
  return found.filter((value) => value >= low && value <= high);
}

/** Round numbers between two, at most about `most`. */
export function ticks(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const each = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  const found = [];
  for (let value = Math.ceil(low / each) * each; value <= high; value += each) found.push(Number(value.toPrecision(6)));
  return found;
}

function nearest(points, step) {
  return points.reduce((best, point) => (best && Math.abs(best.step - step) <= Math.abs(point.step - step) ? best : point), null);
}
