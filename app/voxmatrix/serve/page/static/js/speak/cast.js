// Who speaks in the text of the tab Speak, each with a voice; what is shown of it comes when it is opened.

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { speakersIn } from "./speakers.js";

const KEPT = "voxmatrix-cast";

/** Add it below the text; `hear` lets a voice be heard. */
export class SpeakCast {
  #chosen = JSON.parse(localStorage.getItem(KEPT) ?? "{}"); // voices by name in small letters
  #panel = null;
  #summary = el("summary", {}, t("cast.tools"));
  element = el("details", { class: "knobs cast-tools", ontoggle: () => this.#open() }, this.#summary);

  constructor(text, hear) {
    this.text = text;
    this.hear = hear;
    text.addEventListener("input", () => this.update());
    text.closest(".sheet").append(this.element);
    this.update();
  }

  /** The voices of those whom the text names, as a request has them. */
  get voices() {
    const named = speakersIn(this.text.value).names.filter((name) => this.voiceOf(name));
    return Object.fromEntries(named.map((name) => [name, this.voiceOf(name)]));
  }

  voiceOf = (name) => this.#chosen[name.toLowerCase()] ?? "";

  choose(name, voice) {
    if (voice) this.#chosen[name.toLowerCase()] = voice;
    else delete this.#chosen[name.toLowerCase()];
    localStorage.setItem(KEPT, JSON.stringify(this.#chosen));
    this.update();
  }

  /** Change the text; as typed, so that it can be undone. `from` and `to` are places in it. */
  write(words, from = this.text.selectionStart, to = this.text.selectionEnd) {
    this.text.focus();
    this.text.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, words)) this.text.setRangeText(words, from, to, "end");
    this.text.dispatchEvent(new Event("input"));
  }

  /** The text is another one. */
  update() {
    const { names, played } = speakersIn(this.text.value);
    const shown = [...names, ...played].slice(0, 3);
    this.#summary.textContent = shown.length ? t("cast.tools_of", { names: shown.join(", ") + (names.length + played.length > 3 ? "…" : "") }) : t("cast.tools");
    this.#panel?.show(names, played);
  }

  async #open() {
    if (!this.element.open || this.#panel) return;
    const { CastPanel } = await import("./cast-panel.js");
    this.#panel ??= new CastPanel(this);
    await this.#panel.load();
    this.update();
  }
}
