// The list of voices: one is chosen or, to compare, several.

import { read } from "../api.js";
import { byId, el, note } from "../dom.js";
import { LOCALE, t } from "../i18n.js";
import { VoiceStyle } from "../voice-style.js";
import { joined, language, sentence } from "../words.js";

export class Voices {
  #voices = [];
  #chosen = new Set();
  #speakers = new Map();
  #style = new VoiceStyle({}, () => {});
  #compare = byId("compare");
  #list = byId("voices");
  #isOwn = false; // somebody has chosen
  /** Called when another voice speaks, with whether somebody has chosen it. */
  onChange = (_isOwn) => {};
  #asked = 0; // how often the list was read

  constructor() {
    this.#list.after(this.#style.element);
    this.#compare.addEventListener("change", () => {
      if (!this.#compare.checked) this.#chosen = new Set([...this.#chosen].slice(0, 1));
      this.#show();
    });
  }

  /** Show something more below how they speak. */
  after(element) {
    this.#style.element.after(element);
  }

  /** The chosen voices: what requests call them, what people do, their sample rate, and how they speak. */
  get chosen() {
    return this.#speaking.map((voice) => {
      const speaker = this.#speakers.get(voice.id) ?? voice.speakers[0];
      const [name, label] = speaker ? [`${voice.id}:${speaker}`, `${voice.id} · ${speaker}`] : [voice.id, voice.id];
      return { voice: name, label, rateHz: voice.rate_hz, ...this.#style.of(voice) };
    });
  }

  /** What the chosen voice speaks; "" of several. */
  get language() {
    return this.#chosen.size === 1 ? this.#speaking[0]?.language : "";
  }

  /** The voice of this id. */
  named = (id) => this.#voices.find((voice) => voice.id === id);

  /** Let this voice speak, unless somebody has chosen one. */
  suggest(id) {
    if (this.#isOwn || this.#compare.checked || !this.named(id) || this.#chosen.has(id)) return;
    this.#chosen = new Set([id]);
    this.#show();
  }

  get #speaking() {
    return this.#voices.filter(({ id }) => this.#chosen.has(id));
  }

  /** Choose a voice, which may be new. */
  choose(id) {
    this.#isOwn = true;
    this.#chosen = new Set([id]);
    return this.load();
  }

  /** Read the list again. A choice that still exists is kept. */
  async load() {
    const asked = ++this.#asked; // an answer that is overtaken by a later one is old
    this.#list.setAttribute("aria-busy", "true");
    if (!this.#voices.length) this.#list.replaceChildren(el("div", { class: "bone" }), el("div", { class: "bone" }));
    try {
      const { voices } = await read("v1/audio/voices");
      if (asked !== this.#asked) return;
      this.#voices = voices;
      this.#chosen = new Set(this.#voices.map((voice) => voice.id).filter((id) => this.#chosen.has(id)));
      if (!this.#chosen.size) this.#chosen.add((this.#voices.find((voice) => !voice.problem) ?? this.#voices[0]).id);
      this.#show();
    } catch (problem) {
      if (!this.#voices.length) this.#list.replaceChildren(note(problem.message));
    } finally {
      if (asked === this.#asked) this.#list.setAttribute("aria-busy", "false");
    }
  }

  #show() {
    // One voice is nothing to choose from, but its speakers may be.
    this.#compare.disabled = this.#voices.length < 2;
    this.#list.replaceChildren(...this.#voices.map((voice) => this.#row(voice)));
    this.#style.show(this.#speaking);
    this.onChange(this.#isOwn);
  }

  #row(voice) {
    const input = el("input", {
      type: this.#compare.checked ? "checkbox" : "radio",
      name: "voice",
      value: voice.id,
      onchange: (event) => this.#choose(voice.id, event.target),
    });
    input.checked = this.#chosen.has(voice.id);
    const facts = joined(language(voice.language), voice.quality, `${(voice.rate_hz / 1000).toLocaleString(LOCALE)} kHz`);
    const label = el("label", {}, input, el("span", { class: "name" }, voice.id, el("small", voice.problem ? { class: "problem" } : {}, voice.problem ? sentence(voice.problem) : facts)));
    return el("div", { class: "voice" }, label, voice.speakers.length > 0 && this.#speakerOf(voice));
  }

  #speakerOf(voice) {
    const options = voice.speakers.map((name) => el("option", {}, name));
    const select = el("select", {
      "aria-label": t("speak.speaker_of", { voice: voice.id }),
      onchange: (event) => this.#speakers.set(voice.id, event.target.value),
    }, options);
    select.value = this.#speakers.get(voice.id) ?? voice.speakers[0];
    return select;
  }

  #choose(id, input) {
    this.#isOwn = true;
    if (input.type === "radio") this.#chosen = new Set([id]);
    else if (input.checked) this.#chosen.add(id);
    else if (this.#chosen.size > 1) this.#chosen.delete(id);
    else input.checked = true; // somebody has to speak
    this.#style.show(this.#speaking);
    this.onChange(this.#isOwn);
  }
}
