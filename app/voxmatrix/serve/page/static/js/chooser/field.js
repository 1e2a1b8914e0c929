// A voice in a form: a button that says which one it is, and opens the list of all.

import { el, icon } from "../dom.js";
import { t } from "../i18n.js";
import { VoiceList } from "./list.js";
import { factsOf, labelOf, voiceOf } from "./voices.js";

const ARROW_DOWN = "M7 10l5 5 5-5";

/** Its events are "change". `value` is what requests call the voice, or "" for none. */
export class VoiceField extends EventTarget {
  #value;
  #list;
  #dialog;
  #name = el("span", { class: "name" });
  #button;

  /**
   * `label` says what the voice is for; `first` is the language whose voices stand first; `none` is the name of the
   * choice of no voice, if that may be chosen.
   * @param {{voices: any[], value?: string, label: string, first?: string, none?: string}} what
   */
  constructor({ voices, value = "", label, first = "", none = "" }) {
    super();
    this.label = label;
    this.none = none;
    this.#list = new VoiceList({ first });
    this.#list.addEventListener("change", () => this.#choose());
    this.#button = el("button", { class: "voice-field", "aria-haspopup": "dialog", onclick: () => this.#open() });
    const close = el("button", { class: "primary", onclick: () => this.#dialog.close() }, t("chooser.done"));
    this.#dialog = el("dialog", { class: "chooser-dialog", "aria-label": label, onclick: (event) => event.target === this.#dialog && this.#dialog.close() },
      el("div", {}, el("h2", {}, label), this.#list.element,
        el("div", { class: "form-actions" }, none && el("button", { class: "quiet", onclick: () => this.#choose("") }, none), close)));
    this.element = el("div", { class: "voice-field-of" }, this.#button, this.#dialog);
    this.#list.show(voices);
    this.value = value;
  }

  get value() {
    return this.#value;
  }

  set value(name) {
    this.#value = name;
    const voice = voiceOf(this.voices, name);
    this.#list.chosen = new Set(voice ? [voice.id] : []);
    if (voice && name.length > voice.id.length) this.#list.speakers.set(voice.id, name.slice(voice.id.length + 1));
    const words = name ? labelOf(name, this.voices) : this.none || t("chooser.choose");
    this.#name.replaceChildren(words, el("small", {}, voice ? factsOf(voice) : ""));
    this.#button.setAttribute("aria-label", `${this.label}: ${words}`);
    this.#button.replaceChildren(this.#name, icon(ARROW_DOWN));
  }

  /** The card of the chosen voice; undefined if it is gone, or none is chosen. */
  get voice() {
    return voiceOf(this.voices, this.#value);
  }

  get voices() {
    return this.#list.voices;
  }

  #open() {
    this.#list.draw();
    this.#dialog.showModal();
  }

  #choose(name) {
    const [id] = this.#list.chosen;
    this.value = name ?? this.#list.nameOf(this.voices.find((voice) => voice.id === id));
    if (name === "") this.#dialog.close();
    this.dispatchEvent(new Event("change"));
  }
}
