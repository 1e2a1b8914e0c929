// What long recordings were cut into: clips to listen to and to correct, and what was left out.

import { ask, read } from "../api.js";
import { el, figures, note, onDo, quiet, trouble } from "../dom.js";
import { known, t } from "../i18n.js";
import { createJob, pathOf, showInTrain } from "../jobs/api.js";
import { clip } from "../sound/clip.js";
import { clock, sentence } from "../words.js";

const MOST = 20; // rows that are added at once
const DROPPED = "dropped";
const SEGMENTS = "segments";

export const readSegments = (job) => read(pathOf(job, SEGMENTS));

export class Clips {
  #figures = el("dl", { class: "figures" });

  /** `found` as the server answers; `signal` ends its life. */
  constructor(job, found, signal) {
    this.job = job;
    this.found = found;
    this.signal = signal;
    const clips = found.segments.filter(({ file }) => file).sort((one, other) => one.confidence - other.confidence);
    const kept = clips.filter(({ reason }) => !reason);
    const dropped = clips.filter(({ reason }) => reason === DROPPED);
    const doubtful = clips.filter(({ reason }) => reason && reason !== DROPPED).reverse();
    const problem = trouble();
    const train = onDo(problem, () =>
      createJob({ kind: "prepare", job: job.id, language: job.request.language }).then((made) => signal.aborted || showInTrain(made)));
    this.element = el("div", {},
      el("section", { class: "report" }, this.#figures, this.#leftOut(found), problem,
        el("div", { class: "form-actions" }, el("button", { class: "primary", onclick: train }, t("train.with_kept")))),
      this.#list("train.doubtful", doubtful, true),
      this.#list("train.kept_clips", kept, !doubtful.length),
      this.#list("train.dropped_clips", dropped));
    this.#show(found);
  }

  #show({ clips, seconds }) {
    this.#figures.replaceChildren(...figures([[t("train.kept"), clock(seconds, 0)], [t("train.clips"), clips]]));
  }

  #place({ recording, start, end }) {
    const { recordings } = this.found;
    return t(recordings.length > 1 ? "train.place_in" : "train.place", { recording: recordings[recording], start: clock(start), end: clock(end) });
  }

  /** Where there are no clips, folded by the reason. */
  #leftOut({ segments, reasons, left_out: seconds }) {
    const byReason = Map.groupBy(segments.filter(({ file }) => !file), ({ reason }) => reason);
    return el("div", {}, [...byReason].map(([reason, parts]) => el("details", { class: "kind" },
      el("summary", {}, el("span", { class: "mark" }, t("train.left_out")), " ", t("train.reason_time", { reason: known("reason", reason, reasons[reason]), time: clock(seconds[reason], 0) })),
      el("ul", {}, parts.map((one) => el("li", {}, this.#place(one)))))));
  }

  #list(words, clips, open = false) {
    if (!clips.length) return null;
    const rows = el("ul", { class: "clip-rows" });
    const summary = el("summary", {}, t(words, { count: clips.length }));
    const next = quiet(t("train.more"), () => add());
    const add = () => {
      rows.append(...clips.splice(0, MOST).map((one) => this.#row(one)));
      next.hidden = !clips.length;
    };
    return el("details", { class: "part", open, ontoggle: () => rows.firstChild || add() }, summary, rows, next);
  }

  #row(one) {
    const name = t("train.clip_at", { place: this.#place(one) });
    const text = el("textarea", { rows: 2, spellcheck: "true", "aria-label": t("train.text_of", { clip: name }), oninput: () => show() });
    const state = el("span", { class: "verdict" });
    const keep = quiet("", () => decide(true));
    const drop = quiet(t("train.drop"), () => decide(false));
    const problem = trouble();
    const show = () => {
      const { reason, detail } = one;
      const [quality, words] = { "": ["good", t("train.kept")], [DROPPED]: ["calm", t("train.dropped")] }[reason] ?? ["fair", sentence(detail || known("reason", reason, this.found.reasons[reason]))];
      state.className = `verdict ${quality}`;
      state.textContent = words;
      keep.textContent = t(reason ? "train.keep" : "train.save");
      keep.disabled = !reason && text.value === one.text;
      drop.disabled = reason === DROPPED;
    };
    const decide = async (kept) => {
      problem.textContent = "";
      try {
        const answer = await read(pathOf(this.job.id, SEGMENTS, one.number), { method: "PUT", body: { text: text.value, kept } });
        one = answer.segment;
        if (kept) text.value = one.text;
        this.#show(answer);
      } catch (error) {
        problem.textContent = error.message;
      }
      show();
    };
    text.value = one.text;
    show();
    return el("li", {},
      clip({ label: name, load: () => ask(pathOf(this.job.id, SEGMENTS, `${one.number}.wav`)), signal: this.signal }), el("div", { class: "field" }, text),
      el("div", { class: "job-foot" }, el("div", {}, state, note(t("train.sure", { place: this.#place(one), percent: Math.round(100 * one.confidence) })), problem),
        el("div", { class: "job-actions" }, keep, drop)));
  }
}
