// What a small voice says while it learns: sentences that it does not learn from, beside their recordings.

import { el, fill, note } from "../dom.js";
import { t } from "../i18n.js";
import { getJob, readFile } from "../jobs/api.js";
import { clip } from "../sound/clip.js";

const FILE = /^(\d+)-(?:recorded|step-(\d+))\.wav$/;
const EVERY_MS = 30_000; // there is a new one every five minutes

export class Previews {
  #known = new Map(); // the element of each file
  #list = el("ul", { class: "samples" });

  /** `signal` ends its life. */
  constructor(job, signal) {
    this.job = job;
    this.signal = signal;
    this.element = el("section", { class: "part", hidden: true }, el("h2", {}, t("train.sounds")), note(t("train.previews_about")), this.#list);
    this.#load();
    const timer = setInterval(() => this.#load(), EVERY_MS);
    signal.addEventListener("abort", () => clearInterval(timer));
  }

  async #load() {
    const job = await getJob(this.job).catch(() => null); // it is asked again
    if (job && !this.signal.aborted) this.#show(job.files);
  }

  #show(files) {
    const found = files.map(({ name }) => ({ name, match: FILE.exec(name) })).filter(({ match }) => match)
      .map(({ name, match }) => ({ name, sentence: Number(match[1]), step: match[2] ? Number(match[2]) : null }));
    const newest = Math.max(...found.map(({ step }) => step ?? 0));
    const shown = found.filter(({ step }) => step === null || step === newest);
    this.element.hidden = !newest;
    fill(this.#list, shown.sort((one, other) => one.sentence - other.sentence || (one.step ?? 0) - (other.step ?? 0)).map((file) => this.#row(file)));
  }

  #row({ name, sentence, step }) {
    if (!this.#known.has(name)) {
      const label = step === null ? t("train.recorded", { sentence }) : t("train.step_number", { step });
      this.#known.set(name, el("li", {}, el("span", { class: "number" }, label), clip({ label, load: () => readFile(this.job, name), signal: this.signal })));
    }
    return this.#known.get(name);
  }
}
