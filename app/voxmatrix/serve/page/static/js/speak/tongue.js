// The languages of the text and of the voice: who speaks where nobody has chosen, and what is said where they differ.

import { read } from "../api.js";
import { el, quiet } from "../dom.js";
import { parts, t } from "../i18n.js";
import { player } from "../sound/player.js";
import { sameLanguage } from "../voices/samples.js";
import { language } from "../words.js";

const PAUSE_MS = 400; // of typing
const MOST = 2000; // characters tell it
const RATE_HZ = 22_050; // of most voices

export class Tongue {
  #asked = 0; // an answer that is overtaken by a later one is old
  #timer = 0;
  #found = { language: null, voice: null };
  #said = el("p", { role: "status" });
  #offered = el("div");
  element = el("div", { class: "tongue" }, this.#said, this.#offered);

  /** `voices` are those of the tab, `text` gives what is to be said, and `speak` says it. */
  constructor(voices, text, speak) {
    this.voices = voices;
    this.text = text;
    this.speak = speak;
  }

  /** The text has changed. */
  look() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), PAUSE_MS);
  }

  async #ask() {
    const asked = ++this.#asked;
    const text = this.text().trim().slice(0, MOST);
    const found = await (text && read("v1/text/language", { body: { text } }).catch(() => null));
    if (asked !== this.#asked) return;
    this.#found = found || { language: null, voice: null };
    this.show();
  }

  /** Say what does not fit. Of several voices nothing is said: who compares them knows. */
  show() {
    const { language: code, voice } = this.#found;
    if (voice) this.voices.suggest(voice);
    const spoken = this.voices.language;
    const fits = !code || !spoken || sameLanguage(code, spoken);
    this.#said.replaceChildren(...(fits ? [] : voice ? this.#proposal(code, voice) : this.#lack(code)));
    if (fits) this.#offered.replaceChildren();
  }

  #proposal(code, id) {
    const voice = quiet(this.voices.titleOf(id), () => this.voices.choose(id));
    return parts("speak.looks_like", { language: language(code), voice });
  }

  #lack(code) {
    const find = quiet(t("speak.find_voice"), () => this.#offer(code, find));
    return parts("speak.no_voice_of", { language: language(code), find });
  }

  async #offer(code, button) {
    button.disabled = true;
    player.prepare(RATE_HZ); // now, while this is a click: later the browser would not allow sound
    const { offerVoice } = await import("./offer.js"); // rarely needed
    this.#offered.replaceChildren(await offerVoice(code, async (id) => {
      await this.voices.choose(id);
      this.speak();
    }));
    button.disabled = false;
  }
}
