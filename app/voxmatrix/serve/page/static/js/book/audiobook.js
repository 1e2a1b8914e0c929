// An audiobook: how far it is, and its chapters.

import { back, el, icon, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { ARROW, showPlaying } from "../icons.js";
import { ENDED, fileUrl, getJob, onDownload } from "../jobs/api.js";
import { jobCard } from "../jobs/card.js";
import { followJob } from "../jobs/follow.js";
import { clock, duration, size } from "../words.js";
import { BookPlayer } from "./book-player.js";
import { certificateOf, completeChapters, growingChapters } from "./chapter-list.js";
import { listening } from "./listening.js";
import { BookPicture } from "./picture.js";
import { reading } from "./reading.js";
import { RowWindow } from "./row-window.js";

const LOOK_AGAIN_MS = 2000;

export class Audiobook {
  #end = new AbortController();
  #card = null;
  #unfollow = () => {};
  #timer = null;
  #job = null;
  #shown = ""; // the chapters
  #complete = el("p", { class: "note number", role: "status" });
  #actions = el("div", { class: "made-actions" });
  #text = el("div", { class: "made-text" });
  #picture = new BookPicture((at) => /** @type {HTMLElement} */ (this.rows.reveal(at).querySelector("button:enabled, a"))?.focus());

  constructor(place, id) {
    this.place = place;
    this.id = id;
    this.player = new BookPlayer(id, this.#end.signal);
    this.rows = new RowWindow({ label: t("book.chapters"), makeRow: (at) => this.#row(at), signal: this.#end.signal });
    this.player.addEventListener("change", () => this.rows.rows.forEach(([at, row]) => this.#refresh(at, row)));
    place.replaceChildren(el("div", { class: "bone tall" }));
  }

  async load() {
    if (this.#card) return;
    try {
      const job = await getJob(this.id);
      if (this.#end.signal.aborted) return;
      this.#card = jobCard(job, { onChange: (changed) => (changed ? this.#follow() : (location.hash = "#/book")), signal: this.#end.signal });
      this.place.replaceChildren(back("#/book", t("book.title")), el("h1", { class: "hidden" }, job.title), this.#card.element, this.#actions, this.#complete, this.#picture.element,
        el("div", { class: "made" }, el("div", { class: "made-chapters" }, listening(this.player), this.rows.element), this.#text));
      const shown = this.#show(job);
      if (!ENDED.includes(job.state)) this.#follow(); // already while the chapters are being asked for
      await shown;
    } catch (problem) {
      if (!this.#end.signal.aborted && !this.#card) this.place.replaceChildren(back("#/book", t("book.title")), trouble(problem.message));
    }
  }

  leave() {
    this.#unfollow();
    clearTimeout(this.#timer);
    this.#end.abort();
  }

  #follow() {
    this.#unfollow();
    this.#unfollow = followJob(this.id, {
      onJob: (job) => this.#card.update(job),
      onProgress: (progress) => this.#onProgress(progress),
      onEnd: (job) => (job ? this.#show(job) : (location.hash = "#/book")),
    });
  }

  #onProgress(facts) {
    if (this.#job === null || ENDED.includes(this.#job.state)) return;
    this.#card.update({ ...this.#job, state: "running", progress: facts.progress, seconds_left: facts.seconds_left });
    const { key, chapters } = facts;
    const done = this.player.chapters.filter(({ file }) => file).length; // what is said is what can be heard
    if (key === "join") this.#complete.textContent = t("book.all_spoken");
    else if (chapters > 1) this.#complete.textContent = [t("book.growing", { done, count: chapters }), done && t("book.listen_now")].filter(Boolean).join(" ");
    // A chapter is a file a little after it is complete.
    this.#timer ??= setTimeout(() => this.#lookAgain(), LOOK_AGAIN_MS);
  }

  async #lookAgain() {
    const job = await getJob(this.id).catch(() => null);
    this.#timer = null;
    if (job && !this.#end.signal.aborted && !ENDED.includes(job.state)) await this.#show(job);
  }

  async #show(job) {
    this.#job = job;
    this.#card.update(job);
    const done = job.state === "done";
    try {
      const certificate = done ? await certificateOf(job) : null;
      const chapters = done ? completeChapters(job, certificate) : await growingChapters(job, this.#end.signal);
      if (this.#end.signal.aborted || this.#job !== job) return; // a newer state was faster
      this.#showChapters(chapters);
      this.#text.replaceChildren(...(done ? [reading(this.player, certificate.units, `#/book/${job.id}/change`)] : []));
    } catch {
      this.#complete.textContent = t("book.no_chapters");
    }
    if (ENDED.includes(job.state)) this.#showActions(job);
    else this.#actions.replaceChildren();
  }

  #showActions(job) {
    const whole = job.files.find(({ name }) => /\.m4b$/.test(name));
    const { spoken, kept, seconds } = job.result ?? {};
    this.#complete.textContent = job.state === "done" ? t(kept ? "book.made_kept" : "book.made", { duration: duration(seconds), spoken, kept }) : "";
    this.#actions.replaceChildren(...[
      job.state === "done" && whole && el("a", { class: "primary", href: fileUrl(job.id, whole.name), download: whole.name.split("/").at(-1), onclick: onDownload }, t("book.download", { size: size(whole.bytes) })),
      el("a", { class: "quiet", href: `#/book/${job.id}/change` }, t("book.change")),
    ].filter(Boolean));
  }

  #showChapters(chapters) {
    const described = JSON.stringify(chapters);
    if (described === this.#shown) return;
    this.#shown = described;
    const { scrollTop } = this.rows.element;
    this.player.show(chapters);
    this.#picture.show(chapters.map((chapter) => ({ ...chapter, on: Boolean(chapter.file), words: t(chapter.file ? "book.complete" : "book.not_yet") })));
    this.rows.show(chapters.length);
    this.rows.element.scrollTop = scrollTop;
  }

  #row(at) {
    const { index, title, seconds, file } = this.player.chapters[at];
    const play = el("button", { class: "step", disabled: !file, onclick: () => this.#toggle(at) });
    const own = file && !/\.m4b$/.test(file);
    const row = el("li", {}, play, el("span", { class: "index number" }, index), el("span", { class: "title" }, title),
      el("span", { class: "note number" }, file ? clock(seconds, 0) : t("book.not_yet")),
      own && el("a", { class: "step", href: fileUrl(this.id, file), download: file.split("/").at(-1), onclick: onDownload, "aria-label": t("book.download_one", { title }) }, icon(ARROW)));
    row.classList.toggle("off", !file);
    this.#refresh(at, row);
    return row;
  }

  #refresh(at, row) {
    const [play] = row.children;
    const current = at === this.player.at && Boolean(this.player.chapter?.file);
    const playing = current && this.player.playing;
    if (current) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
    showPlaying(play, playing, this.player.chapters[at].title, "play.listen_to");
  }

  #toggle(at) {
    if (at === this.player.at) this.player.toggle();
    else this.player.play(at);
  }
}
