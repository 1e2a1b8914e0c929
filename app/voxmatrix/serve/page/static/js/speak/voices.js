// Who speaks, and how: one voice is chosen or, to compare, several. The browser remembers the choice.

import { titleOf, readVoices } from "../chooser/voices.js";
import { VoiceList } from "../chooser/list.js";
import { byId, el, note } from "../dom.js";
import { kept, keep } from "../kept.js";
import { VoiceStyle } from "../voice-style.js";
import { joined } from "../words.js";

const CHOICE = "voxmatrix-voice";

export class Voices {
  #style = new VoiceStyle({}, () => {});
  #compare = byId("compare");
  #place = byId("voices");
  #list = new VoiceList();
  #isOwn = false; // somebody has chosen
  /** Called when another voice speaks, with whether somebody has chosen it. */
  onChange = (_isOwn) => {};
  #asked = 0; // how often the list was read

  constructor() {
    const { chosen = [], speakers = {} } = kept(CHOICE, {});
    this.#isOwn = chosen.length > 0;
    this.#list.chosen = new Set(chosen);
    this.#list.speakers = new Map(Object.entries(speakers));
    this.#list.several = this.#compare.checked = chosen.length > 1;
    this.#list.addEventListener("change", () => this.#changed());
    this.#place.after(this.#style.element);
    this.#compare.addEventListener("change", () => {
      this.#list.several = this.#compare.checked;
      if (!this.#compare.checked) this.#list.chosen = new Set([...this.#list.chosen].slice(0, 1));
      this.#list.draw();
      this.#changed();
    });
  }

  /** Show something more below how they speak. */
  after(element) {
    this.#style.element.after(element);
  }

  /** The chosen voices: what requests call them, what people do, their sample rate, and how they speak. */
  get chosen() {
    const { voices } = this.#list;
    return this.#speaking.map((voice) => {
      const name = this.#list.nameOf(voice);
      const label = joined(titleOf(voice, voices), name.slice(voice.id.length + 1));
      return { voice: name, label, rateHz: voice.rate_hz, timed: voice.capabilities.phonemes, ...this.#style.of(voice) };
    });
  }

  /** What the chosen voice speaks; "" of several. */
  get language() {
    return this.#speaking.length === 1 ? this.#speaking[0].language : "";
  }

  /** What people call the voice of this id. */
  titleOf(id) {
    const voice = this.#list.voices.find((each) => each.id === id);
    return voice ? titleOf(voice, this.#list.voices) : id;
  }

  /** Let this voice speak, unless somebody has chosen one. */
  suggest(id) {
    const isHere = this.#list.voices.some((voice) => voice.id === id);
    if (this.#isOwn || !isHere || this.#list.chosen.has(id)) return;
    this.#list.chosen = new Set([id]);
    this.#list.draw();
    this.#style.show(this.#speaking);
    this.onChange(false);
  }

  get #speaking() {
    return this.#list.voices.filter(({ id }) => this.#list.chosen.has(id));
  }

  /** Choose a voice, which may be new. */
  choose(id) {
    this.#isOwn = true; // before the list is read: else a voice of the text's language would take its place
    this.#list.chosen = new Set([id]);
    return this.load().then(() => this.#changed());
  }

  /** Read the list again. A choice that still exists is kept. */
  async load() {
    const asked = ++this.#asked; // an answer that is overtaken by a later one is old
    this.#place.setAttribute("aria-busy", "true");
    if (!this.#list.voices.length) this.#place.replaceChildren(el("div", { class: "bone" }), el("div", { class: "bone" }));
    try {
      const voices = await readVoices();
      if (asked !== this.#asked) return;
      this.#list.show(voices);
      if (!this.#list.chosen.size) {
        this.#list.chosen.add((voices.find((voice) => !voice.problem) ?? voices[0]).id);
        this.#list.draw();
      }
      if (!this.#list.element.isConnected) this.#place.replaceChildren(this.#list.element);
      this.#compare.disabled = voices.length < 2; // one voice is nothing to choose from, but its speakers may be
      this.#style.show(this.#speaking);
      this.onChange(this.#isOwn);
    } catch (problem) {
      if (!this.#list.voices.length) this.#place.replaceChildren(note(problem.message));
    } finally {
      if (asked === this.#asked) this.#place.setAttribute("aria-busy", "false");
    }
  }

  #changed() {
    this.#isOwn = true;
    this.#style.show(this.#speaking);
    keep(CHOICE, { chosen: [...this.#list.chosen], speakers: Object.fromEntries(this.#list.speakers) });
    this.onChange(true);
  }
}
