// How a voice speaks: its speed and, folded, pauses, volume and its knobs, as its capabilities say.

import { el, field } from "./dom.js";
import { decimal, known, LOCALE, t } from "./i18n.js";

const SLOWEST = 0.5; // slower or faster than this is hard to follow
const FASTEST = 2;
const STEPS = 200;
/** Seconds between sentences, and how many times as loud. */
export const USUAL = { sentence_pause: 0.2, volume: 1 };

export class VoiceStyle {
  #set; // by name, what was moved
  #output; // what every voice has
  #more = el("details", { class: "knobs" });
  element = el("div", { class: "voice-style" });

  /** `style` is the body of an earlier request: its speed, pauses, volume and knobs. */
  constructor({ speed = 1, knobs = {}, sentence_pause = USUAL.sentence_pause, volume = USUAL.volume }, onChange) {
    this.onChange = onChange;
    this.#output = { speed, sentence_pause, volume };
    this.#set = { ...knobs };
  }

  /** Of these voices. What was set stays, for when a voice that has it is chosen again. */
  show(voices) {
    const able = voices.map(({ capabilities }) => capabilities);
    const ranges = able.map(({ speed }) => speed ?? [1, 1]);
    const low = Math.max(SLOWEST, ...ranges.map(([least]) => least));
    const high = Math.min(FASTEST, ...ranges.map(([, most]) => most));
    const output = this.#output;
    output.speed = Math.min(high, Math.max(low, output.speed));
    const knobs = Object.entries(Object.assign({}, ...able.map((each) => each.knobs)));
    const reset = el("button", { class: "link", onclick: () => this.#reset(voices) }, t("style.defaults"));
    const row = (values, name, title, range, written) => slider(title, { step: 0.05, value: values[name] ?? range.default, ...range }, written, (value) => {
      values[name] = value;
      this.onChange();
    });
    this.#more.replaceChildren(el("summary", {}, t("style.more")),
      row(output, "sentence_pause", t("style.pauses"), { low: 0, high: 2 }, (value) => t("style.seconds", { value: decimal(value, 2) })),
      row(output, "volume", t("style.volume"), { low: 0.25, high: 2 }, (value) => t("style.percent", { value: Math.round(100 * value) })),
      ...knobs.map(([name, knob]) => row(this.#set, name, known("knob", name, knob.title), { ...knob, step: knob.integer ? 1 : (knob.high - knob.low) / STEPS }, (value) => value.toLocaleString(LOCALE))),
      reset);
    const speed = row(output, "speed", t("style.speed"), { low, high }, (value) => t("style.times", { value: decimal(value, 2) }));
    this.element.replaceChildren(...[low < high && speed, this.#more].filter(Boolean));
  }

  /** What a request to this voice says. */
  of({ capabilities }) {
    const knobs = {};
    for (const [name, { low, high }] of Object.entries(capabilities.knobs)) {
      if (name in this.#set) knobs[name] = Math.min(high, Math.max(low, this.#set[name])); // another voice may have a wider range
    }
    return { knobs, ...this.#output };
  }

  #reset(voices) {
    this.#set = {};
    Object.assign(this.#output, USUAL);
    this.show(voices);
    this.#more.firstChild.focus();
    this.onChange();
  }
}

function slider(title, { low, high, step, value, default: usual }, written, onInput) {
  const shown = el("span", { class: "number" }, written(value));
  const input = el("input", { type: "range", min: low, max: high, step, value, oninput: () => {
    const moved = Number(input.value);
    shown.textContent = written(moved);
    onInput(moved);
  } });
  return el("div", {}, field([`${title} `, shown], input), usual !== undefined && el("small", {}, t("style.range", { low, high, usual })));
}
