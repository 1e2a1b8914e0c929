// Makes a voice of a training, to speak with.

import { el, field, nameInput, note, speakAddress, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { createJob, ENDED, listJobs } from "../jobs/api.js";
import { followJob } from "../jobs/follow.js";
import { voiceName } from "../words.js";

const EARLY = 0.1; // of its steps: before that it is most likely no speech
const NOT_YET = 3; // the exit code of a checkpoint that has not learned to speak
const CHECKPOINT = /^run\/(best|last)\.ckpt$/;

export class Export {
  #stop = () => {};
  #taken = null; // a name that another voice has
  #anyway = false; // what has not learned to speak is exported as well
  #name = nameInput({ name: "voice" });
  #submit = el("button", { class: "primary", type: "submit" });
  #said = el("p", { class: "note", role: "status" });
  #problem = trouble();

  constructor(job, signal) {
    this.job = job.id;
    this.signal = signal;
    signal.addEventListener("abort", () => this.#stop());
    this.#name.value = voiceName(job.title);
    this.#name.addEventListener("input", () => this.#offer(null));
    this.element = el("form", { class: "part export", hidden: true, onsubmit: (event) => this.#go(event) },
      el("h2", {}, t("train.speak_with")),
      el("div", { class: "export-row" }, field(t("train.voice_name"), this.#name), this.#submit),
      this.#said, this.#problem);
    this.#offer(null);
    this.#findEarlier();
  }

  /**
   * Whether there is something to export, and how far it has come.
   * @param {Record<string, any>} facts
   */
  show(files, { state }, facts) {
    const { key, done, total } = facts;
    this.element.hidden = !files.some(({ name }) => CHECKPOINT.test(name));
    if (this.element.hidden || this.#said.childElementCount || ENDED.includes(state)) return;
    const isEarly = key === "train" && total > 0 && done < EARLY * total;
    this.#said.textContent = isEarly ? t("train.too_early", { done, total }) : t("train.best_so_far");
    if (!this.#anyway) this.#submit.className = isEarly ? "quiet" : "primary";
  }

  #offer(taken, anyway = false) {
    this.#taken = taken;
    this.#anyway = anyway;
    this.#submit.className = anyway ? "quiet" : "primary";
    this.#submit.textContent = t(taken ? "train.replace" : anyway ? "train.export_anyway" : "train.export");
  }

  async #go(event) {
    event.preventDefault();
    const name = this.#name.value;
    this.#problem.textContent = "";
    try {
      this.#wait(await createJob({ kind: "export", job: this.job, name, replace: this.#taken === name, force: this.#anyway }));
    } catch (problem) {
      this.#problem.textContent = problem.message;
      if (problem.status === 409) this.#offer(name);
    }
  }

  #wait(job) {
    this.#submit.disabled = true;
    this.#said.textContent = t("train.exporting");
    this.#stop();
    this.#stop = followJob(job.id, { onEnd: (ended) => this.#show(ended) });
  }

  #show(job) {
    this.#submit.disabled = false;
    this.#offer(null);
    const name = job?.request.name;
    if (job?.state === "done") {
      this.#submit.className = "quiet"; // what comes next is to speak
      this.#submit.textContent = t("train.export_again");
      this.#taken = name;
      const { doubt } = job.result ?? {};
      this.#said.replaceChildren(speakWith(name), doubt ? note(t("train.doubt", { doubt })) : "");
      return;
    }
    this.#said.textContent = "";
    this.#problem.textContent = job?.error ? `${job.error.message} ${job.error.remedy}` : "";
    if (job?.error?.exit_code === NOT_YET) this.#offer(null, true);
  }

  /** The last export of this training. */
  async #findEarlier() {
    const { data } = await listJobs({ kind: "export", limit: 100 }).catch(() => ({ data: [] }));
    const last = data.find(({ request }) => request.job === this.job);
    if (!last || this.signal.aborted) return;
    this.#name.value = last.request.name;
    if (ENDED.includes(last.state)) this.#show(last);
    else this.#wait(last);
  }
}

export const speakWith = (name) => el("a", { class: "primary", href: speakAddress(name) }, t("train.speak_with_name", { name }));
