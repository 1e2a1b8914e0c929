// What was found in the recordings, and how the training will run: from a job of kind prepare to one of kind train.

import { el, trouble } from "../dom.js";
import { createJob, ENDED } from "../jobs/api.js";
import { jobCard } from "../jobs/card.js";
import { followJob } from "../jobs/follow.js";
import { back } from "./back.js";
import { report } from "./report.js";
import { Settings } from "./settings.js";

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
    if (result?.clips === undefined) return this.#replace(el("h1", {}, job.title), this.#card(job).element);
    const title = el("h1", { tabindex: "-1" }, job.title);
    this.#replace(title, report(result, job.error), job.state === "done" ? this.#settings(job) : this.#instead(job));
    title.focus({ preventScroll: true });
  }

  /** The rest of the way: the settings, and the button that starts the training. */
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
        el("a", { class: "primary", href: "#/record" }, "Record more"),
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
    this.place.replaceChildren(back(), ...children.filter(Boolean));
  }
}
