// Which voice speaks, and how.

import { VoiceField } from "../chooser/field.js";
import { base, factsOf, readVoices, titleOf, voiceOf } from "../chooser/voices.js";
import { el } from "../dom.js";
import { t } from "../i18n.js";
import { VoiceStyle } from "../voice-style.js";
import { language } from "../words.js";

export const FORMATS = {
  m4b: t("book.m4b"),
  mp3: t("book.mp3"),
  m4a: t("book.m4a"),
  opus: t("book.opus"),
  ogg: t("book.ogg"),
  flac: t("book.flac"),
  acx: t("book.acx"), // a shop
};

export { readVoices, voiceOf };

/** The voice that tells a book unless somebody chooses another one. */
export function usualVoice(voices, bookLanguage) {
  const same = voices.find((voice) => bookLanguage && base(voice.language) === base(bookLanguage)) ?? voices[0];
  return nameOf(same);
}

/** A choice of voices, those of a language first; `none` names the choice of no voice, "": there is none. */
export function voiceSelect(voices, bookLanguage, chosen, props, none) {
  const rank = ({ language: code }) => Number(base(code) !== base(bookLanguage || code));
  const select = el("select", props, none && el("option", { value: "" }, none), voices.toSorted((one, other) => rank(one) - rank(other)).flatMap((voice) => options(voice, voices)));
  select.value = chosen;
  if (select.selectedIndex < 0) { // it is gone, or a speaker by number
    select.append(el("option", { value: chosen }, voiceOf(voices, chosen) ? chosen : t("cast.missing", { voice: chosen })));
    select.value = chosen;
  }
  return select;
}

/** What requests call a voice, or its first speaker. */
const nameOf = ({ id, speakers }) => (speakers.length ? `${id}:${speakers[0]}` : id);

/** `request` is the body of an earlier job, or a draft. Its events are "change". */
export class VoiceChoice extends EventTarget {
  #bookLanguage;
  #voice;
  #style;
  #foreign = el("p", { class: "note foreign" });

  constructor(voices, bookLanguage, request) {
    super();
    this.#bookLanguage = bookLanguage;
    this.#voice = new VoiceField({ voices, label: t("book.voice"), first: bookLanguage ?? "" });
    this.#voice.value = voiceOf(voices, request.voice) ? request.voice : usualVoice(voices, bookLanguage); // else it is gone
    this.#voice.addEventListener("change", () => this.#changed());
    this.#style = new VoiceStyle(request, () => this.dispatchEvent(new Event("change")));
    this.element = el("div", { class: "voice-choice" },
      el("div", { class: "field" }, el("span", {}, t("book.voice")), this.#voice.element), this.#foreign, this.#style.element);
    this.#update();
  }

  get voice() {
    return this.#voice.value;
  }

  /** Its speed and knobs. */
  get style() {
    return this.#style.of(this.#chosen);
  }

  /** What is needed to speak a text. */
  get speaking() {
    return { voice: this.voice, ...this.style, rateHz: this.#chosen.rate_hz };
  }

  get #chosen() {
    return this.#voice.voice;
  }

  #changed() {
    this.#update();
    this.dispatchEvent(new Event("change"));
  }

  #update() {
    this.#style.show([this.#chosen]);
    const spoken = this.#chosen.language;
    const foreign = this.#bookLanguage && base(spoken) !== base(this.#bookLanguage);
    this.#foreign.textContent = foreign ? t("book.foreign", { book: language(this.#bookLanguage), voice: language(spoken) }) : "";
  }
}

function options(voice, voices) {
  const title = titleOf(voice, voices);
  const option = (value, words) => el("option", { value }, words);
  if (!voice.speakers.length) return [option(voice.id, `${title} · ${factsOf(voice)}`)];
  return voice.speakers.map((speaker) => option(`${voice.id}:${speaker}`, `${title} · ${speaker}`));
}
