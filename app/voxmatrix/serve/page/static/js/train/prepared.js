// What was found in the recordings, and how the training will run.

import { back, el, note, onDo, quiet, trouble } from "../dom.js";
import { parts, t } from "../i18n.js";
import { createJob, ENDED, showInTrain } from "../jobs/api.js";
import { jobCard } from "../jobs/card.js";
import { followJob } from "../jobs/follow.js";
import { addressOf, readList } from "../record/api.js";
import { standing } from "../record/sentences.js";
import { Clips, readSegments } from "./clips.js";
import { checkLink } from "./drafts.js";
import { speakWith } from "./export.js";
import { lessonCurve } from "./lesson.js";
import { Previews } from "./previews.js";
import { report } from "./report.js";
import { Settings } from "./settings.js";
import { smallVoice } from "./small.js";

const WAITING = { prepare: t("train.wait_prepare"), segment: t("train.wait_segment"), distil: t("train.wait_distil") };

/** Where more, or other, recordings come from. */
function source({ request: { recordings, job } }) {
  const [href, words] = !recordings && !job ? ["#/train/new", t("train.other")] : job ? [`#/train/${job}`, t("train.to_clips")]
    : [addressOf({ profile: recordings.profile, name: recordings.list ?? "" }), t("train.record_more")];
  return el("a", { class: "primary", href }, words);
}

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
    const isLesson = job.kind === "distil";
    const curve = lessonCurve(this.#end.signal);
    this.#replace(el("h1", {}, WAITING[job.kind]), card.element, isLesson && curve.element, isLesson && new Previews(job.id, this.#end.signal).element, isLesson && checkLink(job));
    this.#stop = followJob(job.id, {
      onMetrics: curve.add,
      onJob: (newer) => card.update(newer),
      onProgress: (facts) => card.update({ ...job, state: "running", ...facts }),
      onEnd: (ended) => ended && this.#showEnded(ended),
    });
  }

  #showEnded(job) {
    const { result } = job;
    if (job.kind === "segment") return this.#showClips(job);
    if (result?.clips === undefined) {
      const lacking = (result?.gates ?? []).filter(({ ok }) => !ok).map(({ name }) => name).join(", ");
      const isLesson = job.kind === "distil";
      const curve = lessonCurve(this.#end.signal);
      this.#replace(el("h1", {}, job.title), this.#card(job).element, lacking && note(t("train.lacking", { lacking })), isLesson && job.state === "done" ? speakWith(job.request.name) : !job.request.recordings && source(job), isLesson && curve.element, isLesson && checkLink(job));
      if (isLesson) this.#stop = followJob(job.id, { onMetrics: curve.add });
      return undefined;
    }
    const title = el("h1", { tabindex: "-1" }, job.title);
    const better = el("p");
    this.#recordBetter(job, better);
    this.#replace(title, report(result, job.error, better), job.state === "done" ? this.#ways(job) : this.#instead(job));
    title.focus({ preventScroll: true });
  }

  async #showClips(job) {
    const found = await readSegments(job.id).catch(() => null); // it may have failed before there are any
    if (this.#end.signal.aborted) return;
    this.#replace(el("h1", {}, job.title), (job.state !== "done" || !found) && this.#card(job).element, found ? new Clips(job, found, this.#end.signal).element : source(job));
  }

  /** To train, and to teach a small voice: that one first where there is no GPU. */
  #ways(job) {
    const small = job.result.speakers.length < 2 && smallVoice(job, (body) => this.#create(body));
    const start = el("button", { class: "primary", type: "submit" }, t("train.start"));
    const place = el("div", {});
    const settings = new Settings(job, (/** @type {string} */ device) => {
      if (!small) return;
      const isFirst = device === "cpu";
      small.recommend(isFirst);
      start.className = isFirst ? "quiet" : "primary";
      if (isFirst !== (place.firstChild === small.element)) place[isFirst ? "prepend" : "append"](small.element);
    });
    const problem = trouble();
    const submit = onDo(problem, () => this.#create({ ...job.request, kind: "train", ...settings.chosen }));
    place.append(el("form", { class: "settings", onsubmit: submit }, settings.element, problem, el("div", { class: "form-actions" }, start, settings.expected)));
    if (small) place.append(small.element);
    return place;
  }

  async #create(body) {
    const made = await createJob(body);
    if (!this.#end.signal.aborted) showInTrain(made);
  }

  /** What can be better was said when it was recorded, and is said here as well. */
  async #recordBetter({ request: { recordings } }, place) {
    const found = recordings?.list && (await readList({ profile: recordings.profile, name: recordings.list }).catch(() => null));
    const fair = found ? found.prompts.filter((prompt) => standing(prompt) === "fair").length : 0;
    if (fair) place.append(...parts("train.better", { recordings: t("count.recordings", { count: fair }), link: el("a", { href: addressOf(found.list) }, t("train.better_link")) }));
  }

  /** They cannot be used, unless somebody insists. */
  #instead(job) {
    const problem = trouble();
    const insist = onDo(problem, () => this.#create({ ...job.request, force: true }));
    return el("div", { class: "settings" }, problem,
      el("div", { class: "form-actions" },
        source(job),
        job.result.clips > 0 && quiet(t("train.anyway"), insist)));
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
    this.place.replaceChildren(back("#/train", t("train.all")), ...children.filter(Boolean));
  }
}
