// A training.

import { back, el, explained, figures, progressBar, quiet } from "../dom.js";
import { LOCALE, t } from "../i18n.js";
import { cancelJob, ENDED, getJob, resumeJob } from "../jobs/api.js";
import { followJob } from "../jobs/follow.js";
import { results } from "../jobs/results.js";
import { isResumable, stateOf } from "../jobs/words.js";
import { clock, duration, joined, language } from "../words.js";
import { curves } from "./curves.js";
import { checkLink } from "./drafts.js";
import { Export } from "./export.js";
import { Losses } from "./losses.js";
import { Samples } from "./samples.js";

export class Run {
  #job;
  #end = new AbortController();
  #stop = () => {};
  #losses = new Losses();
  /** @type {Record<string, any>} what the events have said last, by name */
  #facts = {};
  #curves = curves(this.#losses, this.#end.signal);
  #state = el("span", { class: "verdict" });
  #actions = el("div", { class: "job-actions" });
  #offered; // what the button there asks for
  #bar = progressBar();
  #figures = el("dl", { class: "figures" });
  #problem = el("div", { class: "job-problem", role: "alert" });
  #samples;
  #export;
  #files = results(this.#end.signal);

  constructor(place, job) {
    this.#job = job;
    this.#samples = new Samples(job.id, this.#losses, this.#end.signal);
    this.#export = new Export(job, this.#end.signal);
    const { request } = job;
    const about = joined(request.quality, language(request.language));
    place.replaceChildren(back("#/train", t("train.all")),
      el("div", { class: "heading run-heading" },
        el("h1", { tabindex: "-1" }, job.title, el("span", { class: "note" }, about)),
        el("div", { class: "run-state" }, this.#state, this.#actions)),
      this.#bar.element, this.#problem,
      el("article", { class: "run" }, this.#figures, this.#curves.element),
      this.#samples.element, this.#export.element, checkLink(job),
      el("section", { class: "run-files" }, this.#files.element));
    place.querySelector("h1").focus({ preventScroll: true });
    this.#take(job);
    this.#follow();
  }

  leave() {
    this.#end.abort();
    this.#stop();
  }

  #follow() {
    this.#stop();
    this.#stop = followJob(this.#job.id, {
      onJob: (job) => this.#take(job),
      onProgress: (facts) => this.#progress(facts),
      onMetrics: (entry) => this.#learn(entry),
      onEnd: (job) => (job ? this.#take(job) : (location.hash = "#/train")),
    });
  }

  #take(job) {
    this.#job = job;
    const [quality, words] = stateOf(job);
    this.#state.className = `verdict ${quality || "calm"}`;
    this.#state.textContent = words;
    this.#bar.element.hidden = job.state !== "running";
    this.#problem.replaceChildren(...explained(job.error));
    this.#progress({ progress: job.progress, seconds_left: job.seconds_left });
    this.#showActions();
    this.#files.update(job);
    this.#look();
  }

  #showActions() {
    const [words, request] = !ENDED.includes(this.#job.state) ? [t("train.stop"), cancelJob] : isResumable(this.#job) ? [t("train.resume"), resumeJob] : [];
    if (request === this.#offered) return; // a button that is replaced while it is pressed is not clicked
    this.#offered = request;
    this.#actions.replaceChildren(...(request ? [quiet(words, () => this.#act(request))] : []));
  }

  async #act(request) {
    const [button] = this.#actions.children;
    button.disabled = true;
    if (request === cancelJob) button.textContent = t("train.saving"); // it ends after its checkpoint is written
    try {
      const job = await request(this.#job.id);
      if (request === resumeJob) {
        this.#take(job);
        this.#follow();
      }
    } catch (problem) {
      this.#problem.replaceChildren(...explained(problem));
      this.#offered = null;
      this.#showActions();
    }
  }

  /** What has been saved: samples, and checkpoints that can be exported. */
  async #look() {
    try {
      const { files } = await getJob(this.#job.id);
      if (this.#end.signal.aborted) return;
      this.#samples.show(files);
      this.#export.show(files, this.#job, this.#facts);
    } catch {
      // The next event looks again.
    }
  }

  #learn(entry) {
    this.#losses.add(entry);
    this.#curves.update();
    this.#samples.score();
    Object.assign(this.#facts, entry);
    if (entry.validation_mel !== undefined) this.#look();
    this.#showFigures();
  }

  #progress(facts) {
    Object.assign(this.#facts, facts);
    this.#bar.show(facts.progress);
    this.#showFigures();
  }

  #showFigures() {
    const { key, done, total, epoch, best, best_step: bestStep, seconds_left: left, audio_seconds_per_second: speed } = this.#facts;
    const { state, started, ended } = this.#job;
    const step = key === "train" ? done : this.#losses.lastStep;
    const steps = key === "train" ? t("train.progress", { done: step, total }) : step.toLocaleString(LOCALE);
    const running = state === "running";
    const facts = [
      [t("train.step"), steps],
      epoch && [t("train.epoch"), epoch.toLocaleString(LOCALE)],
      bestStep && [t("train.best"), best ? t("train.step_number", { step: bestStep }) : t("train.no_better", { step: bestStep })],
      running && [t("train.time_left"), left == null ? waitsFor(this.#facts) : duration(left)],
      running && speed && [t("train.learns"), t("train.learns_much", { time: clock(60 * speed, 0) })],
      !running && started && ended && [t("train.took"), duration(ended - started)],
    ];
    this.#figures.replaceChildren(...figures(facts));
  }
}

/** @param {Record<string, any>} facts */
const waitsFor = ({ key, work }) => (work && key !== "train" ? t("train.working", { work }) : t("train.unknown"));
