// The chapters of a book: ticked, renamed, heard.

import { el, icon } from "../dom.js";
import { t } from "../i18n.js";
import { PLAY } from "../icons.js";
import { duration } from "../words.js";
import { numbersOf, rangesOf } from "./ranges.js";
import { RowWindow } from "./row-window.js";

/** `request` is the body of an earlier job, or a draft; its events are "change". `onHear` gets a chapter. */
export class Chapters extends EventTarget {
  #chapters;
  #ticked;
  #titles;
  #current = 0; // the row that the Tab key reaches
  #anchor = 0; // where a range of rows begins
  #window;
  #all = el("input", { type: "checkbox", id: "all-chapters" });
  #sum = el("span", { class: "note number", role: "status" });

  constructor(chapters, request, { onHear, signal }) {
    super();
    this.#chapters = chapters;
    this.#ticked = numbersOf(request.chapters, chapters.length);
    this.#titles = new Map(Object.entries(request.titles ?? {}).map(([number, title]) => [Number(number), title]));
    this.onHear = onHear;
    this.#window = new RowWindow({ label: t("book.chapters"), makeRow: (at) => this.#row(at), signal });
    this.#window.list.addEventListener("keydown", (event) => this.#onKey(event));
    this.#all.addEventListener("change", () => this.#tick(0, chapters.length - 1, this.#all.checked));
    this.element = el("div", { class: "chapters-list" },
      el("div", { class: "chapters-heading" }, el("label", {}, this.#all, t("book.chapters")), this.#sum),
      this.#window.element);
    this.#window.show(chapters.length);
    this.#update();
  }

  get #chosen() {
    return this.#chapters.filter(({ index }) => this.#ticked.has(index));
  }

  /** How long the ticked chapters are when they are spoken. */
  get seconds() {
    return this.#chosen.reduce((sum, chapter) => sum + chapter.seconds, 0);
  }

  /** All chapters, as a picture shows them. */
  get pictured() {
    return this.#chapters.map(({ index, title, seconds }) => {
      const on = this.#ticked.has(index);
      return { index, title: this.#titles.get(index) ?? title, seconds, on, words: on ? "" : t("book.left_out") };
    });
  }

  /** Go to the row at a place. */
  focus(at) {
    this.#window.reveal(at).querySelector("input").focus();
  }

  get none() {
    return !this.#ticked.size;
  }

  /** The fields of a request. */
  get fields() {
    const chosen = this.#chosen.map(({ index }) => index);
    const titles = Object.fromEntries(this.#titles);
    return {
      ...(chosen.length < this.#chapters.length && { chapters: rangesOf(chosen) }),
      ...(this.#titles.size && { titles }),
    };
  }

  #row(at) {
    const { index, title, seconds, sentences, characters } = this.#chapters[at];
    const number = String(index);
    const tick = el("input", { type: "checkbox", "aria-label": t("book.chapter", { number }), onclick: (event) => this.#onTick(at, event) });
    const name = el("input", { class: "title", "aria-label": t("book.chapter_title", { number }), maxlength: 250, placeholder: number, spellcheck: "true", oninput: () => this.#rename(at, name) });
    const hear = el("button", { class: "step", "aria-label": t("book.hear_chapter", { number }), onclick: () => this.onHear(this.#chapters[at]) }, icon(PLAY));
    name.value = this.#titles.get(index) ?? title;
    const row = el("li", { onfocusin: () => this.#move(at) }, tick, el("span", { class: "index number" }, index), name,
      el("span", { class: "note number", title: t("count.characters", { count: characters }) }, el("span", { class: "wide" }, `${t("count.sentences", { count: sentences })} · `), duration(seconds)), hear);
    this.#refresh(at, row);
    return row;
  }

  #refresh(at, row) {
    const ticked = this.#ticked.has(this.#chapters[at].index);
    const [tick, , name, , hear] = row.children;
    tick.checked = ticked;
    row.classList.toggle("off", !ticked);
    for (const control of [tick, name, hear]) control.tabIndex = at === this.#current ? 0 : -1;
  }

  #onTick(at, event) {
    const from = event.shiftKey ? this.#anchor : at;
    this.#anchor = at;
    this.#tick(Math.min(from, at), Math.max(from, at), event.target.checked);
  }

  #tick(first, last, ticked) {
    for (const { index } of this.#chapters.slice(first, last + 1)) ticked ? this.#ticked.add(index) : this.#ticked.delete(index);
    this.#update();
    this.dispatchEvent(new Event("change"));
  }

  #rename(at, input) {
    const { index, title } = this.#chapters[at];
    const written = input.value.trim();
    if (!written || written === title) this.#titles.delete(index);
    else this.#titles.set(index, written);
    this.dispatchEvent(new Event("change"));
  }

  #move(at) {
    this.#current = at;
    this.#window.rows.forEach(([place, row]) => this.#refresh(place, row));
  }

  #onKey(event) {
    const { page } = this.#window;
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
    if (!by) return;
    event.preventDefault();
    const from = this.#current;
    const to = Math.max(0, Math.min(from + by, this.#chapters.length - 1));
    const column = [...event.target.closest("li").children].indexOf(event.target);
    if (event.shiftKey) this.#tick(Math.min(from, to), Math.max(from, to), this.#ticked.has(this.#chapters[from].index));
    this.#window.reveal(to).children[column].focus();
  }

  #update() {
    const some = this.#chosen.length;
    this.#all.checked = some === this.#chapters.length;
    this.#all.indeterminate = some > 0 && some < this.#chapters.length;
    this.#sum.textContent = t("book.chosen", { some, all: this.#chapters.length, duration: some ? duration(this.seconds) : t("book.nothing") });
    this.#window.rows.forEach(([at, row]) => this.#refresh(at, row));
  }
}
