// Who speaks in a book: its text with a colour for each person, and beside it the people with their voices.

import { back, el, fileInput, note, quiet, trouble } from "../../dom.js";
import { t } from "../../i18n.js";
import { getJob, onDownload } from "../../jobs/api.js";
import { Hearing } from "../../speak/hearing.js";
import { USUAL } from "../../voice-style.js";
import { language, percent } from "../../words.js";
import { readVoices, usualVoice, voiceOf } from "../voice-choice.js";
import * as api from "./api.js";
import { asking } from "./asking.js";
import { Chapter } from "./chapter.js";
import { People } from "./people.js";

export class Casting {
  #end = new AbortController();
  #cast = null;
  #hearing = new Hearing(this.#end.signal);
  #about = note();
  #status = el("p", { class: "note", role: "status" });
  #problem = trouble();
  heard = el("div", { class: "heard" }, this.#hearing.element); // unless a dialog has it
  #lost = el("details", { hidden: true });

  /** `source` is `{file: ID}` or `{job: ID}`; `shown` tells the chapter and its part: "3.0". */
  constructor(place, source, shown = "") {
    this.place = place;
    this.source = source;
    this.draftName = `voxmatrix-book-${source.file ?? source.job}`;
    this.address = source.file ? `#/book/file/${source.file}` : `#/book/${source.job}`;
    this.setup = source.file ? this.address : `${this.address}/change`;
    const [number, part] = shown.split(".").map(Number);
    this.shown = { number, part };
    place.replaceChildren(el("p", { class: "note", role: "status" }, t("cast.finding")), el("div", { class: "bone tall" }));
  }

  async load() {
    if (this.#cast) return;
    try {
      const draft = JSON.parse(sessionStorage.getItem(this.draftName));
      const [voices, cast, request] = await Promise.all([readVoices(), api.openCast(this.source, this.#end.signal), draft ?? (this.source.job ? getJob(this.source.job).then((job) => job.request) : {})]);
      if (this.#end.signal.aborted) return;
      this.voices = voices;
      this.request = request;
      this.narrator = voiceOf(voices, request.voice) ? request.voice : usualVoice(voices, cast.language);
      this.#build(cast);
    } catch (problem) {
      if (!this.#end.signal.aborted && !this.#cast) this.place.replaceChildren(back(this.setup, t("cast.back")), trouble(problem.message), quiet(t("cast.again"), () => this.load()));
    }
  }

  leave() {
    this.#end.abort();
  }

  /** Show what a change has made of the cast. */
  async changed(change) {
    this.#show(await change);
    this.#status.textContent = t("cast.saved");
  }

  /** The same, which says what went wrong. */
  async decide(change) {
    this.#problem.textContent = "";
    await this.changed(change).catch((problem) => {
      this.#problem.textContent = problem.message;
      this.people.show(this.#cast);
    });
  }

  hear(label, text, voice) {
    const { rate_hz: rateHz } = voiceOf(this.voices, voice);
    return this.#hearing.hear({ label, text, voice, rateHz, speed: this.request.speed ?? 1, knobs: {}, ...USUAL });
  }

  /** The voice that is heard where a person has this one. */
  spoken = (voice) => (voiceOf(this.voices, voice) ? voice : this.narrator);

  #build(cast) {
    this.people = new People(this, cast);
    this.chapter = new Chapter(this, cast, this.shown, (piece, chapter) => asking(this, this.#cast, piece, chapter, this.#hearing));
    const table = fileInput(".toml", ([file]) => file && this.decide(file.text().then((toml) => api.replaceTable(cast.id, toml))));
    const knows = cast.knows_speakers ? "" : note(t("cast.other_language", { language: language(cast.language) }));
    const use = el("button", { class: "primary", onclick: () => this.#use() }, t("cast.use"));
    this.place.replaceChildren(back(this.setup, t("cast.back")),
      el("div", { class: "cast" },
        el("header", {}, el("h1", {}, t("cast.title", { title: cast.title })), this.#about, knows),
        this.chapter.element, this.people.element, this.heard,
        el("div", { class: "book-actions" }, el("div", {}, this.#status, this.#problem, this.#lost),
          el("div", { class: "cast-actions" }, quiet(t("cast.propose"), () => this.#propose()),
            el("a", { class: "quiet", href: api.tableUrl(cast.id), download: "book.cast.toml", onclick: onDownload }, t("cast.table")),
            quiet(t("cast.open_table"), () => table.click()), table, use))));
    this.#show(cast);
    if (cast.people.length && ![...cast.people.map(({ voice }) => voice), cast.dialogue, cast.dialogue_male, cast.dialogue_female].some(Boolean)) this.#propose();
  }

  #show(cast) {
    this.#cast = cast;
    const { speeches, sure } = cast;
    this.#about.textContent = speeches ? t("cast.about", { count: speeches, sure: percent(sure, speeches) }) : t("cast.silent");
    this.people.show(cast);
    this.chapter.show(cast);
    this.#lost.hidden = !cast.lost.length;
    this.#lost.replaceChildren(el("summary", {}, t("cast.lost", { count: cast.lost.length })), el("ul", {}, cast.lost.map(({ text, who }) => el("li", {}, `${who}: ${text}`))));
  }

  async #propose() {
    this.#problem.textContent = "";
    this.#status.textContent = t("cast.comparing", { count: 0 });
    try {
      for (let complete = false; !complete && !this.#end.signal.aborted; ) {
        const { measured, ...found } = await api.proposeVoices(this.#cast.id, this.narrator);
        complete = found.complete;
        this.#status.textContent = complete ? t(measured > 2 ? "cast.proposed" : "cast.few") : t("cast.comparing", { count: measured });
        if (complete && !this.#end.signal.aborted) this.#show(found);
      }
    } catch (problem) {
      this.#status.textContent = "";
      this.#problem.textContent = problem.message;
    }
  }

  #use() {
    sessionStorage.setItem(this.draftName, JSON.stringify({ ...this.request, voice: this.narrator, cast: true }));
    location.hash = this.setup;
  }
}
