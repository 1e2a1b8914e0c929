// The text of a chapter: what is said has the colour of who says it, and is clicked to say who does.

import { el, note } from "../../dom.js";
import { t } from "../../i18n.js";
import { readChapter } from "./api.js";
import { colour, described, nameOf } from "./person.js";

export class Chapter {
  #cast;
  #asked = null;
  #text = el("div", { class: "cast-text", role: "region", "aria-label": t("book.text"), tabindex: "0", onkeydown: (event) => this.#onKey(event) });
  #choice = el("select", { "aria-label": t("cast.chapter"), onchange: () => this.#go(Number(this.#choice.value), 0) });
  #before = el("button", { class: "quiet", onclick: () => this.#step(-1) }, t("cast.before"));
  #after = el("button", { class: "quiet", onclick: () => this.#step(1) }, t("cast.after"));

  /** `onAsk` gets a piece that was clicked, and its chapter. */
  constructor(view, cast, { number, part }, onAsk) {
    this.view = view;
    this.onAsk = onAsk;
    const known = cast.chapters[number - 1];
    this.number = known ? number : (cast.chapters.find(({ speeches }) => speeches) ?? cast.chapters[0]).number;
    this.part = known && part < known.parts ? part : 0;
    const sample = (words, more) => colour(el("span", { class: `speech ${more}` }, t(words)), cast, cast.people[0]?.name);
    this.element = el("section", { class: "cast-chapter", "aria-label": t("cast.text") },
      el("div", { class: "cast-steps" }, this.#before, this.#choice, this.#after),
      el("p", { class: "note legend" }, sample("cast.sure", ""), sample("cast.unsure", "unsure"), el("span", {}, t("cast.hint"))),
      this.#text);
  }

  /** Show what is decided now. */
  show(cast) {
    this.#cast = cast;
    this.#choice.replaceChildren(...cast.chapters.map(({ number, title, unsure }) =>
      el("option", { value: number }, `${number} · ${title || t("book.chapter", { number: String(number) })}${unsure ? ` · ${t("count.unsure", { count: unsure })}` : ""}`)));
    return this.#load();
  }

  #go(number, part) {
    this.number = number;
    this.part = part;
    history.replaceState(null, "", `${this.view.address}/cast/${number}.${part}`);
    this.#text.scrollTop = 0;
    this.#load();
  }

  #step(by) {
    const { parts } = this.#cast.chapters[this.number - 1];
    const part = this.part + by;
    if (part >= 0 && part < parts) return this.#go(this.number, part);
    const number = this.number + by;
    return this.#go(number, by > 0 ? 0 : this.#cast.chapters[number - 1].parts - 1);
  }

  async #load() {
    const asked = (this.#asked = {});
    const chapter = this.#cast.chapters[this.number - 1];
    this.#choice.value = String(this.number);
    this.#before.disabled = this.number === 1 && !this.part;
    this.#after.disabled = this.number === this.#cast.chapters.length && this.part === chapter.parts - 1;
    this.#text.setAttribute("aria-busy", "true");
    if (!this.#text.children.length) this.#text.replaceChildren(el("div", { class: "bone tall" }));
    try {
      const { paragraphs } = await readChapter(this.#cast.id, this.number, this.part);
      if (asked === this.#asked) this.#fill(paragraphs);
    } catch (problem) {
      if (asked === this.#asked) this.#text.replaceChildren(note(problem.message), el("button", { class: "quiet", onclick: () => this.#load() }, t("cast.again")));
    }
    if (asked === this.#asked) this.#text.removeAttribute("aria-busy");
  }

  #fill(paragraphs) {
    const { scrollTop } = this.#text;
    const focused = this.#text.contains(document.activeElement) && document.activeElement?.getAttribute("data-speech");
    this.#text.replaceChildren(...paragraphs.map((pieces) => this.#paragraph(pieces)));
    this.#text.scrollTop = scrollTop;
    const all = this.#speeches;
    (all.find(({ dataset }) => dataset.speech === (focused || this.last)) ?? all[0])?.setAttribute("tabindex", "0");
    if (focused) this.#text.querySelector(`[data-speech="${focused}"]`)?.focus();
  }

  #paragraph(pieces) {
    const names = [...new Set(pieces.filter(({ speech }) => speech !== undefined).map(({ who, sure }) => nameOf(who) + (sure || !who ? "" : " ?")))];
    const first = pieces.find(({ who }) => who);
    return el("p", {}, colour(el("span", { class: "speaker", "aria-hidden": "true" }, names.join(", ")), this.#cast, first?.who),
      el("span", {}, pieces.map((piece) => (piece.speech === undefined ? piece.text : this.#speech(piece)))));
  }

  #speech(piece) {
    const { text, speech, who, sure } = piece;
    const said = el("span", { class: `speech${sure ? "" : " unsure"}`, role: "button", tabindex: "-1", "data-speech": speech, onclick: () => this.#ask(piece) },
      text, el("span", { class: "says" }, ` ${described(who, sure)}`));
    return colour(said, this.#cast, who);
  }

  #ask(piece) {
    this.last = String(piece.speech);
    this.onAsk(piece, this.number);
  }

  /** Show where the keyboard is, e.g. after a dialog. */
  focus() {
    this.#text.querySelector(`[data-speech="${this.last}"]`)?.focus();
  }

  get #speeches() {
    return /** @type {HTMLElement[]} */ ([...this.#text.querySelectorAll(".speech")]);
  }

  #onKey(event) {
    const all = this.#speeches;
    const at = all.indexOf(event.target);
    if (at < 0) return;
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (!by) return event.target.click();
    const next = all[at + by];
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
