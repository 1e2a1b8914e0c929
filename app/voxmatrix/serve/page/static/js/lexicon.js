// Words that are spoken wrong, and how they are to be spoken.

import { el, icon, note } from "./dom.js";
import { t } from "./i18n.js";
import { CROSS, PLAY } from "./icons.js";

/** Characters of what is no word any more, but a sentence: it needs the whole width. */
const LONG = 24;

/** `entries` are those of an earlier job; its events are "change". `onHear` gets a word and what is said for it. */
export class Lexicon extends EventTarget {
  #rows = el("div", { class: "lexicon-rows" });

  constructor(entries, onHear) {
    super();
    this.onHear = onHear;
    this.element = el("fieldset", { class: "lexicon" }, el("legend", {}, t("lexicon.title")),
      note(t("lexicon.about")), this.#rows);
    for (const [word, said] of Object.entries(entries)) this.#add(word, said);
    this.#add();
  }

  /** What is complete, by word. */
  get entries() {
    const rows = [...this.#rows.children].map((row) => [...row.querySelectorAll("input")].map(({ value }) => value.trim().replace(/\s+/g, " ")));
    return Object.fromEntries(rows.filter(([word, said]) => word && said));
  }

  /** A text as it is spoken with them: longer ones win, and whole words only. */
  applied(text) {
    const entries = Object.entries(this.entries).sort(([one], [other]) => other.length - one.length);
    if (!entries.length) return text;
    const anyCase = new Map(entries.map(([word, said]) => [word.toLowerCase(), [word, said]]));
    const words = entries.map(([word]) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
    return text.replace(new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words})(?![\\p{L}\\p{N}_])`, "giu"), (found) => {
      const [word, said] = anyCase.get(found.toLowerCase());
      // As on the server: words in lower case stand for every case.
      return word === word.toLowerCase() || word === found ? said : found;
    });
  }

  /** Say a word like this from now on. */
  set(word, said) {
    const row = [...this.#rows.children].find((each) => each.querySelector("input").value.trim() === word);
    if (row) row.querySelectorAll("input")[1].value = said;
    else {
      this.#rows.lastElementChild.remove();
      this.#add(word, said);
      this.#add();
    }
    this.dispatchEvent(new Event("change"));
  }

  /** Ask how a sentence is to be said. */
  ask(sentence) {
    this.#rows.lastElementChild.remove();
    const row = this.#add(sentence, sentence);
    this.#add();
    row.querySelectorAll("input")[1].focus();
  }

  #add(word = "", said = "") {
    const input = (label, value) => Object.assign(el("input", { "aria-label": label, placeholder: label, maxlength: 1000, spellcheck: "false", autocomplete: "off", oninput: () => this.#changed(row) }), { value });
    const row = el("div", { class: "lexicon-row" });
    const written = input(t("lexicon.written"), word);
    const spoken = input(t("lexicon.spoken"), said);
    row.append(written, spoken,
      el("button", { class: "step", "aria-label": t("lexicon.hear"), onclick: () => this.onHear(written.value, spoken.value || written.value) }, icon(PLAY)),
      el("button", { class: "step", "aria-label": t("lexicon.remove"), onclick: () => this.#remove(row) }, icon(CROSS)));
    const shape = () => row.classList.toggle("long", written.value.length > LONG);
    written.addEventListener("input", shape);
    shape();
    this.#rows.append(row);
    return row;
  }

  #changed(row) {
    if (row === this.#rows.lastElementChild) this.#add();
    this.dispatchEvent(new Event("change"));
  }

  #remove(row) {
    if (row === this.#rows.lastElementChild) this.#add();
    const next = row.nextElementSibling;
    row.remove();
    next.querySelector("input").focus();
    this.dispatchEvent(new Event("change"));
  }
}
