// What will be made of a book. What is chosen survives a reload.

import { back, el, field, note, onDo, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { createJob, getJob } from "../jobs/api.js";
import { Lexicon } from "../lexicon.js";
import { Hearing } from "../speak/hearing.js";
import { USUAL } from "../voice-style.js";
import { duration, joined, language } from "../words.js";
import { Chapters } from "./chapters.js";
import { contentsOf, speedOf } from "./contents.js";
import { cover } from "./cover.js";
import { Kinds } from "./kinds.js";
import { BookPicture } from "./picture.js";
import { FORMATS, readVoices, VoiceChoice } from "./voice-choice.js";

export class Setup {
  #end = new AbortController();
  #loaded = false;
  #telling = new AbortController(); // of the latest question how fast a voice is
  #hearing;
  #lexicon;
  #voice;
  #chapters;
  #picture = new BookPicture((at) => this.#chapters.focus(at));
  #kinds;
  #format = el("select", {}, Object.entries(FORMATS).map(([value, words]) => el("option", { value }, words)));
  #subtitles = el("input", { type: "checkbox" });
  #along = el("input", { type: "checkbox" });
  #cast = el("input", { type: "checkbox" });
  #problem = trouble();
  #estimate = el("p", { class: "number estimate", role: "status" });
  #make = el("button", { class: "primary", onclick: onDo(this.#problem, () => this.#start()) });

  /** `source` is `{file: ID}` or `{job: ID}`; `sentence` is one that was spoken wrong. */
  constructor(place, source, sentence) {
    this.place = place;
    this.source = source;
    this.sentence = sentence;
    this.draftName = `voxmatrix-book-${source.file ?? source.job}`;
    place.replaceChildren(el("div", { class: "bone tall" }));
  }

  async load() {
    if (this.#loaded) return;
    try {
      const [voices, earlier] = await Promise.all([readVoices(), this.source.job ? getJob(this.source.job) : null]);
      const request = JSON.parse(sessionStorage.getItem(this.draftName)) ?? earlier?.request ?? {};
      const { include, exclude } = request;
      const contents = await contentsOf({ ...this.source, ...(include?.length && { include }), ...(exclude?.length && { exclude }) }, this.#end.signal);
      if (this.#end.signal.aborted) return;
      this.#show(contents, voices, request, earlier);
      this.#loaded = true;
    } catch (problem) {
      if (!this.#end.signal.aborted) this.place.replaceChildren(back("#/book", t("book.title")), trouble(problem.message));
    }
  }

  leave() {
    this.#end.abort();
    this.#telling.abort();
  }

  #show(contents, voices, request, earlier) {
    this.title = earlier?.title ?? contents.title;
    this.#hearing = new Hearing(this.#end.signal);
    this.#lexicon = new Lexicon(request.lexicon ?? {}, (word, said) => word && this.#hear(t("lexicon.word", { word }), said));
    this.#voice = new VoiceChoice(voices, contents.language, request);
    this.#chapters = new Chapters(contents.chapters, request, {
      onHear: ({ index, beginning }) => this.#hear(t("book.beginning", { number: String(index) }), this.#lexicon.applied(beginning)),
      signal: this.#end.signal,
    });
    this.#kinds = new Kinds(contents.kinds ?? []);
    this.#kinds.addEventListener("change", () => this.#readOther());
    this.#kinds.element.open = this.choosing ?? false;
    this.#format.value = request.target ?? request.format ?? "m4b";
    this.#subtitles.checked = request.subtitles ?? false;
    this.#along.checked = request.read_along ?? false;
    this.#cast.checked = request.cast ?? false;
    this.#make.textContent = t(earlier ? "book.again" : "book.make");
    const box = (input, words, what) => el("label", { class: "box" }, input, el("span", {}, words, el("small", {}, what)));
    const address = this.source.file ? `#/book/file/${this.source.file}` : `#/book/${this.source.job}`;
    const panel = el("div", { class: "book-options" }, this.#voice.element,
      el("div", { class: "casting" }, request.cast && box(this.#cast, t("cast.own"), t("cast.own_what")), el("a", { class: "quiet", href: `${address}/cast` }, t("cast.open"))),
      field(t("book.format"), this.#format),
      box(this.#subtitles, t("book.subtitles"), t("book.subtitles_what")),
      box(this.#along, t("book.along"), t("book.along_what")),
      this.#kinds.element, this.#lexicon.element);
    this.place.replaceChildren(
      earlier ? back(`#/book/${earlier.id}`, earlier.title) : back("#/book", t("book.title")),
      el("div", { class: "book" }, about(contents), panel, el("div", { class: "chapters" }, this.#picture.element, this.#chapters.element), this.#hearing.element,
        el("div", { class: "book-actions" }, el("div", {}, this.#estimate, earlier && note(t("book.only_changed")), this.#problem), this.#make)));
    if (this.sentence && !this.#lexicon.entries[this.sentence]) this.#lexicon.ask(this.sentence);
    for (const part of [this.#chapters, this.#voice, this.#lexicon]) part.addEventListener("change", () => this.#changed());
    for (const input of [this.#format, this.#subtitles, this.#along, this.#cast]) input.addEventListener("change", () => this.#changed());
    this.#tell();
  }

  #hear(label, text) {
    this.#hearing.hear({ label, text, ...this.#voice.speaking });
  }

  /** The body of the job. */
  get #request() {
    const { voice, style: { speed, knobs, sentence_pause, volume } } = this.#voice;
    const lexicon = this.#lexicon.entries;
    return {
      kind: "book", ...this.source, voice, [this.#format.value === "acx" ? "target" : "format"]: this.#format.value, ...this.#chapters.fields,
      ...(this.title && { title: this.title.slice(0, 256) }),
      ...(speed !== 1 && { speed }),
      ...(sentence_pause !== USUAL.sentence_pause && { sentence_pause }),
      ...(volume !== USUAL.volume && { volume }),
      ...(Object.keys(knobs).length && { knobs }),
      ...(Object.keys(lexicon).length && { lexicon }),
      ...this.#kinds.fields,
      ...(this.#subtitles.checked && { subtitles: true }),
      ...(this.#along.checked && { read_along: true }),
      ...(this.#cast.checked && { cast: true }),
    };
  }

  /** Other parts are read: the chapters and their numbers may be others. */
  #readOther() {
    const { chapters, titles, ...request } = this.#request;
    sessionStorage.setItem(this.draftName, JSON.stringify(request));
    this.#hearing.stop();
    this.#loaded = false;
    this.choosing = true;
    this.load();
  }

  #changed() {
    sessionStorage.setItem(this.draftName, JSON.stringify(this.#request));
    this.#problem.textContent = "";
    this.#tell();
  }

  /** Say how long it will be, and take to make. */
  async #tell() {
    this.#make.disabled = this.#chapters.none;
    const { voice, style } = this.#voice;
    const seconds = this.#chapters.seconds / style.speed;
    this.#picture.show(this.#chapters.pictured);
    this.#telling.abort();
    const { signal } = (this.#telling = new AbortController());
    this.#estimate.textContent = t("book.speech", { duration: duration(seconds) });
    try {
      const { speed, speed_if_free: free } = await speedOf(voice, signal);
      if (signal.aborted || this.#chapters.none) return;
      const [time, most] = [free, speed].map((times) => duration(seconds / times));
      this.#estimate.textContent = t(time === most ? "book.estimate" : "book.estimate_range", { duration: duration(seconds), time, most });
    } catch {
      // How long it takes is not known; everything else is.
    }
  }

  async #start() {
    this.#hearing.stop();
    const { id } = await createJob(this.#request);
    sessionStorage.removeItem(this.draftName);
    location.hash = `#/book/${id}`;
  }
}

function about({ title, authors, language: code, thumbnail, warnings }) {
  const facts = joined(authors.join(", "), code && language(code));
  return el("header", { class: "about" }, cover(thumbnail, title),
    el("div", {}, el("h1", {}, title || t("book.untitled")), facts && note(facts),
      warnings.length > 0 && el("details", {}, el("summary", { class: "note" }, t("count.warnings", { count: warnings.length })), el("ul", {}, warnings.map((each) => el("li", {}, each))))));
}
