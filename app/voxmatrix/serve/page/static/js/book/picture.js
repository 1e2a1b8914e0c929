// A picture of a book: a bar for each chapter, as high as it is long. Arrow keys walk through it, Enter goes to the chapter.

import { el, svg } from "../dom.js";
import { t } from "../i18n.js";
import { duration, joined } from "../words.js";

const HEIGHT = 100; // units of the drawing
const LEAST = 0.08; // of a bar's height: a short chapter can be seen, too
const GAP = 0.15; // of a bar's width
const FAR = 10; // chapters

export class BookPicture {
  #chapters = [];
  #at = 0;
  #paths = ["", "on", "at"].map((name) => svg("path", { class: name }));
  #drawing = svg("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" }, ...this.#paths);
  #slider = el("div", { class: "picture", role: "slider", tabindex: "0", "aria-label": t("book.picture"), "aria-valuemin": 1, onkeydown: (event) => this.#onKey(event), onclick: (event) => this.#onClick(event), onpointermove: (event) => this.#tell(this.#under(event)), onpointerleave: () => this.#tell(this.#at) }, this.#drawing);
  #words = el("p", { class: "note number", "aria-hidden": "true" });
  element = el("div", { class: "book-picture" }, this.#slider, this.#words);

  /** `onChoose` gets the place of a chapter that is clicked. */
  constructor(onChoose) {
    this.onChoose = onChoose;
  }

  /** Show chapters, as `{index, title, seconds, on, words}`: `on` has the colour of what is done, and `words` say so. */
  show(chapters) {
    this.#chapters = chapters;
    this.element.hidden = chapters.length < 2;
    if (this.element.hidden) return;
    const longest = Math.max(...chapters.map(({ seconds }) => seconds), 1e-6);
    this.heights = chapters.map(({ seconds }) => HEIGHT * Math.max(LEAST, seconds / longest));
    this.#drawing.setAttribute("viewBox", `0 0 ${chapters.length} ${HEIGHT}`);
    this.#paths[0].setAttribute("d", this.#bars(({ on }) => !on));
    this.#paths[1].setAttribute("d", this.#bars(({ on }) => on));
    this.#slider.setAttribute("aria-valuemax", chapters.length);
    this.#move(Math.min(this.#at, chapters.length - 1));
  }

  #bars(shown) {
    return this.#chapters.map((chapter, at) => (shown(chapter) ? this.#bar(at) : "")).join("");
  }

  #bar(at) {
    const height = this.heights[at].toFixed(1);
    return `M${at + GAP / 2} ${HEIGHT}v-${height}h${1 - GAP}v${height}z`;
  }

  #move(at) {
    this.#at = at;
    this.#paths[2].setAttribute("d", `M${at} 0h1v${HEIGHT}h-1z`);
    this.#slider.setAttribute("aria-valuenow", at + 1);
    this.#slider.setAttribute("aria-valuetext", this.#said(at));
    this.#tell(at);
  }

  #tell(at) {
    this.#words.textContent = this.#said(at);
  }

  #said(at) {
    const { index, title, seconds, words } = this.#chapters[at];
    const number = t("book.chapter", { number: String(index) });
    return joined(number, title !== number && title, duration(seconds), words);
  }

  #under({ clientX }) {
    const { left, width } = this.#slider.getBoundingClientRect();
    const count = this.#chapters.length;
    return Math.max(0, Math.min(Math.floor(((clientX - left) / width) * count), count - 1));
  }

  #onClick(event) {
    this.#move(this.#under(event));
    this.onChoose(this.#at);
  }

  #onKey(event) {
    const last = this.#chapters.length - 1;
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: FAR, PageDown: -FAR, Home: -last, End: last }[event.key];
    if (!by && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (by) this.#move(Math.max(0, Math.min(this.#at + by, last)));
    else this.onChoose(this.#at);
  }
}
