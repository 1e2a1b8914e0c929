// The same sentence, spoken at each validation: how the voice improves.

import { el, fill, note } from "../dom.js";
import { t } from "../i18n.js";
import { readFile } from "../jobs/api.js";
import { clip } from "../sound/clip.js";
import { joined } from "../words.js";
import { SERIES } from "./losses.js";

const SAMPLE = /^run\/samples\/.*?(\d+)\.wav$/;
const SHOWN = 3; // the others are folded
const SCORES = SERIES.filter(({ id }) => ["validation", "words"].includes(id));

export class Samples {
  #known = new Map(); // the element of each file
  #scores = new Map(); // of each step, where its scores are shown
  #newest = el("ul", { class: "samples" });
  #earlier = el("ul", { class: "samples" });
  #summary = el("summary");
  #folded = el("details", { hidden: true }, this.#summary, this.#earlier);

  /** `losses` have what each of them scored. */
  constructor(job, losses, signal) {
    this.job = job;
    this.losses = losses;
    this.signal = signal;
    this.element = el("section", { class: "part", hidden: true },
      el("h2", {}, t("train.sounds")),
      note(t("train.sounds_about")), this.#newest, this.#folded);
  }

  show(files) {
    const rows = files.map(({ name }) => ({ name, step: Number(SAMPLE.exec(name)?.[1]) })).filter(({ step }) => Number.isFinite(step))
      .sort((one, other) => other.step - one.step).map((file) => this.#row(file));
    this.element.hidden = !rows.length;
    fill(this.#newest, rows.slice(0, SHOWN));
    fill(this.#earlier, rows.slice(SHOWN));
    this.#folded.hidden = rows.length <= SHOWN;
    this.#summary.textContent = t("train.earlier", { count: rows.length - SHOWN });
    this.score();
  }

  /** Say what each has scored, and which was best. */
  score() {
    for (const [step, place] of this.#scores) {
      const scores = SCORES.map(({ id, name, show }) => [name, show, this.losses.of(id).find((point) => point.step === step)]);
      place.textContent = joined(step === this.losses.bestStep && t("train.best"), ...scores.map(([name, show, point]) => point && `${name} ${show(point.value)}`));
    }
  }

  #row({ name, step }) {
    if (!this.#known.has(name)) {
      const label = t("train.step_number", { step });
      const score = note();
      this.#scores.set(step, score);
      const made = el("li", {}, el("div", { class: "number" }, label, score), clip({ label, load: () => readFile(this.job, name), eager: true, signal: this.signal }));
      this.#known.set(name, made);
    }
    return this.#known.get(name);
  }
}
