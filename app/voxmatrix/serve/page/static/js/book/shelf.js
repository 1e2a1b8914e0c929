// All audiobooks, and the place for a new book.

import { ask, read } from "../api.js";
import { el, fileInput, fill, filled, icon, note, onDo, onDrop, progressBar, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { CROSS } from "../icons.js";
import { listJobs } from "../jobs/api.js";
import { upload } from "../jobs/upload.js";
import { dated, facts, stateOf } from "../jobs/words.js";
import { duration, joined, language } from "../words.js";
import { contentsOf } from "./contents.js";

export const READ = ".epub,.pdf,.txt,.md,.html,.htm,.xhtml,.mobi,.azw3,.fb2,.docx,.odt,.rtf";
const LOOK_AGAIN_MS = 5000;

export class Shelf {
  #end = new AbortController();
  #timer = null;
  #drafts = el("div");
  #list = el("div");
  #heading = el("h2", { class: "shelf-heading" }, t("book.title"));
  #books = el("ul", { class: "lists" });
  #cards = new Map(); // by job
  #older = note(t("book.older"));
  #problem = trouble();
  #status = el("p", { class: "note", role: "status" });
  #sent = progressBar();
  #choose = el("button", { class: "primary", onclick: () => this.#file.click() }, t("book.choose"));
  #file = fileInput(READ, ([file]) => this.#take(file));

  constructor(place) {
    this.zone = el("div", { class: "drop" },
      el("h1", {}, t("book.new")),
      note(t("book.drop")),
      this.#choose, this.#file, this.#sent.element, this.#status, this.#problem);
    this.#busy(false, "");
    place.replaceChildren(this.zone, this.#drafts, this.#list);
    onDrop(this.zone, this.#end.signal, ([file]) => file && !this.#choose.disabled && this.#take(file));
  }

  async load() {
    clearTimeout(this.#timer);
    this.#loadDrafts();
    try {
      const { data, has_more: more } = await listJobs({ kind: "book", limit: 100 });
      if (this.#end.signal.aborted) return;
      this.#show(data, more);
      if (data.some(({ state }) => state === "running" || state === "queued")) this.#timer = setTimeout(() => this.load(), LOOK_AGAIN_MS);
    } catch (problem) {
      if (!this.#list.children.length) this.#list.replaceChildren(note(problem.message));
    }
  }

  leave() {
    clearTimeout(this.#timer);
    this.#end.abort();
  }

  async #take(file) {
    const { signal } = this.#end;
    this.#busy(true, t("book.sending", { name: file.name }));
    this.#problem.textContent = "";
    try {
      const { id } = await upload(file, this.#sent.show, signal);
      this.#status.textContent = t("book.reading", { name: file.name });
      await contentsOf({ file: id }, signal);
      if (!signal.aborted) location.hash = `#/book/file/${id}`;
    } catch (problem) {
      if (problem.name !== "AbortError") this.#problem.textContent = problem.message;
    }
    this.#busy(false, "");
  }

  #busy(busy, words) {
    this.#choose.disabled = busy;
    this.#sent.element.hidden = !busy;
    this.#sent.show(0);
    this.#status.textContent = words;
  }

  /** Books that were opened, and of which nothing is made yet. */
  async #loadDrafts() {
    const found = await read("v1/books/drafts", { signal: this.#end.signal }).catch(() => null);
    if (!found) return;
    const shown = found.data.map((draft) => draft.id).join();
    if (shown === this.#drafts.dataset.shown) return;
    this.#drafts.dataset.shown = shown;
    this.#drafts.replaceChildren(...(found.data.length ? [el("h2", { class: "shelf-heading" }, t("book.drafts")), el("ul", { class: "lists" }, found.data.map((draft) => this.#draft(draft)))] : []));
  }

  #draft({ id, name, title, authors, language: code, chapters, seconds, opened }) {
    const shown = title || name;
    const remove = onDo(this.#problem, async () => {
      await ask(`v1/files/${id}`, { method: "DELETE" });
      await this.#loadDrafts();
    });
    return el("li", { class: "draft" },
      el("a", { class: "list", href: `#/book/file/${id}` },
        el("h3", {}, shown),
        note(joined(authors.join(", "), code && language(code), t("count.chapters", { count: chapters }), duration(seconds))),
        el("p", { class: "note number" }, t("book.opened", { when: dated(opened) }))),
      el("button", { class: "step", "aria-label": t("book.remove_draft", { title: shown }), onclick: remove }, icon(CROSS)));
  }

  #show(jobs, more) {
    fill(this.#books, jobs.map((job) => this.#card(job)));
    fill(this.#list, jobs.length ? [this.#heading, this.#books, ...(more ? [this.#older] : [])] : []);
  }

  #card(job) {
    const card = this.#cards.get(job.id) ?? el("li", {}, el("a", { class: "list", href: `#/book/${job.id}` }));
    this.#cards.set(job.id, card);
    card.firstChild.replaceChildren(...about(job));
    return card;
  }
}

function about(job) {
  const [quality, words] = stateOf(job);
  const running = job.state === "running";
  return [
    el("h2", {}, job.title),
    note(`${job.request.voice ?? t("book.default_voice")} · ${(job.request.target ?? job.request.format ?? "m4b").toUpperCase()}`),
    running ? filled(job.progress) : "",
    el("p", {}, el("span", { class: `verdict ${quality}` }, words),
      el("span", { class: "note number after" }, running ? facts(job) : joined(job.state === "done" && duration(job.result.seconds), dated(job.created)))),
  ];
}
