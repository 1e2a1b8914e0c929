// The list of voices: searched, heard, chosen; several of them to compare. Below it, those that can be had.

import { el, note, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { joined, language, sentence } from "../words.js";
import { sampleButton } from "./sample.js";
import { base, factsOf, matches, readVoices } from "./voices.js";

/** With fewer voices, nobody searches. */
const FEW = 5;
let lists = 0;

/** Its events are "change", when somebody has chosen. */
export class VoiceList extends EventTarget {
  chosen = new Set(); // of ids
  speakers = new Map(); // by id
  several = false; // can be chosen
  voices = [];
  #group = `voice-${lists++}`;
  #end = new AbortController(); // of the rows
  #search = el("input", { type: "search", placeholder: t("chooser.search"), "aria-label": t("chooser.search"), autocomplete: "off", spellcheck: "false", oninput: () => this.#filter() });
  #tongue = el("select", { "aria-label": t("chooser.language"), onchange: () => this.#filter() });
  #filters = el("div", { class: "chooser-filter" }, this.#search, this.#tongue);
  #rows = el("div", { class: "chooser-rows" });
  #none = note(t("chooser.none"));
  #problem = trouble();
  #offers = el("div", { class: "chooser-offers" });
  #library = null;

  /** `first` is the language whose voices stand first. */
  constructor({ first = "" } = {}) {
    super();
    this.first = first;
    this.element = el("div", { class: "chooser" }, this.#filters, this.#rows, this.#none, this.#problem,
      el("details", { class: "chooser-more", ontoggle: (event) => event.target.open && this.#offer() }, el("summary", {}, t("chooser.more")), this.#offers));
  }

  /** Show these voices. What is chosen and is gone is no longer chosen. */
  show(voices) {
    this.voices = voices;
    this.chosen = new Set(voices.map(({ id }) => id).filter((id) => this.chosen.has(id)));
    this.draw();
  }

  /** Draw the rows again, as when `chosen` or `several` has changed. */
  draw() {
    this.#end.abort();
    this.#end = new AbortController();
    const rank = ({ language: code }) => Number(Boolean(this.first) && base(code) !== base(this.first));
    this.#rows.replaceChildren(...this.voices.toSorted((one, other) => rank(one) - rank(other)).map((voice) => this.#row(voice)));
    this.#filters.hidden = this.voices.length <= FEW && !this.#library;
    this.#offerLanguages();
    this.#filter();
  }

  /** What requests call the chosen speaker of a voice. */
  nameOf({ id, speakers }) {
    return speakers.length ? `${id}:${this.speakers.get(id) ?? speakers[0]}` : id;
  }

  #row(voice) {
    const { signal } = this.#end;
    const input = el("input", { type: this.several ? "checkbox" : "radio", name: this.#group, value: voice.id, onchange: () => this.#choose(voice.id, input) });
    input.checked = this.chosen.has(voice.id);
    const about = voice.problem ? el("small", { class: "problem" }, sentence(voice.problem)) : el("small", {}, factsOf(voice));
    const id = voice.title !== voice.id && el("small", { class: "id" }, voice.id);
    const label = el("label", {}, input, el("span", { class: "name" }, voice.title, about, id));
    return el("div", { class: "voice", "data-id": voice.id }, label,
      voice.speakers.length > 0 && this.#speakerOf(voice),
      !voice.problem && sampleButton(voice, this.#problem, signal));
  }

  #speakerOf(voice) {
    const select = el("select", { "aria-label": t("speak.speaker_of", { voice: voice.title }), onchange: () => {
      this.speakers.set(voice.id, select.value);
      this.#changed();
    } }, voice.speakers.map((name) => el("option", {}, name)));
    select.value = this.speakers.get(voice.id) ?? voice.speakers[0];
    return select;
  }

  #choose(id, input) {
    if (!this.several) this.chosen = new Set([id]);
    else if (input.checked) this.chosen.add(id);
    else if (this.chosen.size > 1) this.chosen.delete(id);
    else input.checked = true; // somebody has to speak
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  #suits = (voice) => matches(voice, this.#search.value) && (!this.#tongue.value || voice.language === this.#tongue.value);

  #filter() {
    const suitable = new Set(this.voices.filter(this.#suits).map(({ id }) => id));
    for (const row of this.#rows.children) row.hidden = !suitable.has(row.dataset.id);
    this.#none.hidden = suitable.size > 0 || !this.voices.length;
    this.#library?.show(this.#suits, new Set(this.voices.map(({ id }) => id)));
  }

  #offerLanguages() {
    const codes = [...new Set([...this.voices, ...(this.#library?.voices ?? [])].map((voice) => voice.language))].filter(Boolean);
    const named = codes.map((code) => [language(code), code]).sort(([one], [other]) => one.localeCompare(other));
    const { value } = this.#tongue;
    this.#tongue.replaceChildren(el("option", { value: "" }, t("chooser.any_language")), ...named.map(([name, code]) => el("option", { value: code }, name)));
    this.#tongue.value = codes.includes(value) ? value : "";
  }

  /** The voices of the library, to be downloaded. */
  async #offer() {
    if (this.#library?.complete) return;
    const { Library } = await import("../voices/library.js");
    this.#library = new Library(async () => this.show(await readVoices()));
    this.#offers.replaceChildren(this.#library.element);
    await this.#library.load();
    this.#filters.hidden = false;
    this.#offerLanguages();
    this.#filter();
  }
}
