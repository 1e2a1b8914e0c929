// The settings of a training, each with its reason. What somebody changes stays until it is made automatic again.

import { read } from "../api.js";
import { el, finding, note } from "../dom.js";
import { t } from "../i18n.js";
import { duration } from "../words.js";
import { listJobs } from "../jobs/api.js";
import { dated } from "../jobs/words.js";
import { entered, FIRST, OWN, PLANNED, QUALITIES, SCRATCH, sent } from "./fields.js";
import { settingRow } from "./setting-row.js";

const CHOSEN = t("train.your_choice");

export class Settings {
  #job;
  #edited = {}; // by name, as the API wants them
  #quality;
  #rows = new Map();
  #findings = el("ul", { class: "findings" });
  #advice = el("ul", { class: "findings" });
  #onDevice;
  #asked = 0;
  expected = el("span", { class: "note", role: "status" });

  /** `job` is the check of the recordings; `onDevice` is told what it would be trained on. */
  constructor(job, onDevice) {
    this.#job = job;
    this.#onDevice = onDevice;
    this.#quality = el("select", { id: "quality", onchange: () => this.#plan() }, QUALITIES.map((name) => el("option", {}, name)));
    this.#quality.value = job.result.quality;
    for (const field of [...OWN, ...PLANNED]) {
      this.#rows.set(field.name, settingRow(field, (text) => this.#edit(field, text)));
    }
    const rows = (isFirst) => [...this.#rows].filter(([name]) => FIRST.includes(name) === isFirst)
      .sort(([one], [other]) => FIRST.indexOf(one) - FIRST.indexOf(other)).map(([, row]) => row.element);
    this.element = el("section", {},
      el("h2", {}, t("train.settings")),
      el("div", { class: "setting" }, el("label", { for: "quality" }, t("train.quality")), this.#quality,
        note(t("train.quality_about"))),
      rows(true), el("details", {}, el("summary", {}, t("train.more_settings")), rows(false)), this.#findings, this.#advice);
    this.#offerDevices();
    this.#offerTrainings();
    this.#plan();
  }

  /** The fields of the training that were chosen. */
  get chosen() {
    return { quality: this.#quality.value, ...this.#edited };
  }

  #edit(field, text) {
    if (text === "" || text === SCRATCH) delete this.#edited[field.name];
    else this.#edited[field.name] = sent(field, text);
    this.#plan();
  }

  async #plan() {
    const asked = ++this.#asked;
    for (const field of OWN) {
      const isOwn = field.name in this.#edited;
      const value = this.#edited[field.name];
      this.#rows.get(field.name).show(isOwn ? (value.job ?? value) : (field.value ?? ""), isOwn ? CHOSEN : field.reason, isOwn);
    }
    const planned = PLANNED.map(({ name }) => name).filter((name) => name in this.#edited);
    const { clips, seconds } = this.#job.result;
    const body = { quality: this.#quality.value, clips, seconds, fine_tuned: "start_from" in this.#edited, ...Object.fromEntries(planned.map((name) => [name, this.#edited[name]])) };
    try {
      const plan = await read("v1/plan", { body });
      if (asked === this.#asked) this.#show(plan);
    } catch (problem) {
      if (asked !== this.#asked) return;
      this.expected.textContent = "";
      this.#findings.replaceChildren(finding({ severity: "error", problem: problem.message, remedy: planned.length ? t("train.undo_last") : "" }));
    }
  }

  #show({ settings, findings, training }) {
    for (const { name } of PLANNED) {
      const { value, reason } = settings[name];
      const isOwn = name in this.#edited;
      this.#rows.get(name).show(entered(value), isOwn ? CHOSEN : reason, isOwn);
    }
    this.#findings.replaceChildren(...findings.map(finding));
    this.#advice.replaceChildren(...training.advice.map((/** @type {string} */ words) => el("li", {}, note(words))));
    this.#onDevice(settings.device.value);
    if (!("learning_rate" in this.#edited)) this.#rows.get("learning_rate").show(training.learning_rate, t("train.of_quality"), false);
    this.#expect(training);
  }

  #expect({ steps_per_epoch: steps, seconds_per_epoch: seconds, source }) {
    const { epochs = this.#edited.max_steps ? Infinity : 1000, max_steps: most = Infinity } = this.#edited;
    const total = Math.min(most, epochs * steps);
    const time = seconds == null ? t("train.unknown_time") : t("train.about_time", { duration: duration((seconds * total) / steps), source });
    this.expected.textContent = t("train.expected", { steps: t("count.steps", { count: total }), time });
  }

  async #offerTrainings() {
    const { data } = await listJobs({ kind: "train", limit: 100 }).catch(() => ({ data: [] }));
    const earlier = data.filter(({ state }) => ["done", "cancelled"].includes(state));
    this.#rows.get("start_from").offer([SCRATCH, ...earlier.map(({ id, title, request, ended }) => [id, t("train.earlier_training", { title, quality: request.quality ?? "medium", date: dated(ended) })])]);
  }

  async #offerDevices() {
    const { doctor } = await read("v1/machine").catch(() => ({ doctor: { machine: { gpus: [] } } }));
    this.#rows.get("device").offer(["cpu", ...doctor.machine.gpus.map(({ kind, index }) => `${kind}:${index}`)]);
  }
}
