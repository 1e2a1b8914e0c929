// What was found in the recordings, and how the training will run.

import { back, el, trouble } from "../dom.js";
import { createJob, ENDED } from "../jobs/api.js";
import { jobCard } from "../jobs/card.js";
import { followJob } from "../jobs/follow.js";
import { addressOf, readList } from "../record/api.js";
import { standing } from "../record/sentences.js";
import { count } from "../words.js";
import { report } from "./report.js";
import { Settings } from "./settings.js";

const listOf = ({ request: { recordings } }) => addressOf({ profile: recordings.profile, name: recordings.list ?? "" });

export class Prepared {
  #end = new AbortController();
  #stop = () => {};

  constructor(place, job) {
    this.place = place;
    if (ENDED.includes(job.state)) this.#showEnded(job);
    else this.#wait(job);
  }

  leave() {
    this.#end.abort();
    this.#stop();
  }

  #wait(job) {
    const card = this.#card(job);
    this.#replace(el("h1", {}, "Checking the recordings…"), card.element);
    this.#stop = followJob(job.id, {
      onJob: (newer) => card.update(newer),
      onProgress: (facts) => card.update({ ...job, state: "running", ...facts }),
      onEnd: (ended) => ended && this.#showEnded(ended),
    });
  }

  #showEnded(job) {
    const { result } = job;
    if (result?.clips === undefined) {
      return this.#replace(el("h1", {}, job.title), this.#card(job).element, job.request.file && el("a", { class: "primary", href: "#/train/new" }, "Choose another ZIP"));
    }
    const title = el("h1", { tabindex: "-1" }, job.title);
    const better = el("p");
    this.#recordBetter(job, better);
    this.#replace(title, report(result, job.error, better), job.state === "done" ? this.#settings(job) : this.#instead(job));
    title.focus({ preventScroll: true });
  }

  #settings(job) {
    const settings = new Settings(job);
    const problem = trouble();
    const start = el("button", { class: "primary", type: "submit" }, "Start training");
    const submit = async (event) => {
      event.preventDefault();
      start.disabled = true;
      problem.textContent = "";
      try {
        const made = await createJob({ ...job.request, kind: "train", ...settings.chosen });
        if (!this.#end.signal.aborted) location.hash = `#/train/${made.id}`;
      } catch (error) {
        problem.textContent = error.message;
        start.disabled = false;
      }
    };
    return el("form", { class: "settings", onsubmit: submit }, settings.element, problem, el("div", { class: "form-actions" }, start, settings.expected));
  }

  /** What can be better was said when it was recorded, and is said here as well. */
  async #recordBetter({ request: { recordings } }, place) {
    const found = recordings?.list && (await readList({ profile: recordings.profile, name: recordings.list }).catch(() => null));
    const fair = found ? found.prompts.filter((prompt) => standing(prompt) === "fair").length : 0;
    if (fair) place.append(`${count(fair, "recording")} could be better: `, el("a", { href: addressOf(found.list) }, "listen and record again"), ".");
  }

  /** They cannot be used, unless somebody insists. */
  #instead(job) {
    const problem = trouble();
    const insist = async () => {
      try {
        const made = await createJob({ ...job.request, force: true });
        if (!this.#end.signal.aborted) location.hash = `#/train/${made.id}`;
      } catch (error) {
        problem.textContent = error.message;
      }
    };
    return el("div", { class: "settings" }, problem,
      el("div", { class: "form-actions" },
        job.request.file ? el("a", { class: "primary", href: "#/train/new" }, "Choose another ZIP") : el("a", { class: "primary", href: listOf(job) }, "Record more"),
        job.result.clips > 0 && el("button", { class: "quiet", type: "button", onclick: insist }, "Use them anyway")));
  }

  #card(job) {
    const onChange = (changed) => {
      if (!changed) location.hash = "#/train";
      else if (ENDED.includes(changed.state)) this.#showEnded(changed);
      else this.#wait(changed);
    };
    return jobCard(job, { onChange, signal: this.#end.signal });
  }

  #replace(...children) {
    this.#stop();
    this.place.replaceChildren(back("#/train", "All trainings"), ...children.filter(Boolean));
  }
}
