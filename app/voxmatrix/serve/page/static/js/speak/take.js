// A take: one voice speaks one text, of any length. It tells how far that is with the events "change" and "mark".

import { Problem, speech } from "../api.js";
import { lost } from "../connection.js";
import { eventsOf } from "../events.js";
import { decimal, t } from "../i18n.js";
import { Sound } from "../sound/sound.js";
import { readWav, wavFile, WavReader } from "../sound/wav.js";
import { CHARACTERS_PER_SECOND, clock, sentence } from "../words.js";
import { endOfPart, isWhole, tagsBefore } from "./part.js";
import { bytesOf, placed } from "./spoken.js";

const ENDED = ["done", "stopped", "failed"];
const USUAL_PAUSE = 0.2; // seconds between sentences
const CLOSE = 0.01; // seconds: times of words are rounded

export class Take extends EventTarget {
  text = "";
  speed = 1;
  seconds = 0; // of a take of an earlier visit, while its sound is not read yet
  timed = false; // whether its voice tells when it says which word
  /** @type {number | undefined} */
  sentence_pause;
  state = "waiting"; // then: speaking, and done, stopped or failed
  sound = null;
  status = t("speak.waiting");
  words = []; // {at, length, start, end}: where in the text, and when, in seconds
  mark = { characters: 0, samples: 0 }; // up to here, all is spoken: it goes on from there
  limit = Infinity; // characters that the server takes at once

  /**
   * What is not given is as usual.
   * @param {{voice: string, label: string, text: string, speed: number, knobs: object, sentence_pause?: number, volume?: number, lexicon?: object, cast?: object, timed?: boolean, rateHz?: number, limit?: number}} what
   */
  constructor(what) {
    super();
    Object.assign(this, what);
  }

  /** How long it is or, while that is unknown, will probably be. */
  get span() {
    const seconds = this.sound?.seconds ?? this.seconds ?? 0;
    if (ENDED.includes(this.state) && seconds) return seconds;
    const { characters } = this.mark;
    const each = characters > 500 ? seconds / characters : 1 / CHARACTERS_PER_SECOND / this.speed;
    return Math.max(1 + this.text.length * each, seconds * 1.06);
  }

  /** Whether some of it is still to be spoken. */
  get isUnfinished() {
    return this.state !== "done" && this.text.slice(this.mark.characters).trim() !== "";
  }

  /** Whether there was nothing in the text that can be said, as far as its voice tells. */
  get isMute() {
    return this.state === "done" && this.timed && !this.words.length;
  }

  /** Let the server speak, or go on. */
  async compute(signal) {
    const began = performance.now();
    this.#become("waiting", t("speak.waiting_first"));
    this.sound?.goOn(this.mark.samples);
    this.words = this.words.filter(({ at }) => at < this.mark.characters);
    try {
      while (this.isUnfinished) await this.#part(signal);
      const took = (performance.now() - began) / 1000;
      this.#become("done", t("speak.took", { seconds: decimal(this.sound.seconds, 1), took: decimal(took, 1) }));
    } catch (error) {
      this.#fail(error);
    }
    this.sound?.end();
  }

  /** It will not be computed. */
  skip() {
    this.#become("stopped", t("speak.stopped"));
  }

  /** What was kept of an earlier visit is here. */
  restored(sound, words) {
    this.words = words;
    this.sound = sound;
    this.dispatchEvent(new Event("change"));
  }

  /** A file of it: what was heard as WAV; other formats are spoken once more, by the server. */
  async file(format) {
    if (format === "wav") return wavFile(this.sound);
    return (await speech(this, this.text, format)).blob();
  }

  async #part(signal) {
    const { text, sound } = this;
    const from = this.mark.characters;
    const end = isWhole(text) ? text.length : endOfPart(text, from, this.limit);
    if (sound && from > 0) sound.append(new Int16Array(Math.round((this.sentence_pause ?? USUAL_PAUSE) * sound.rateHz)));
    const said = isWhole(text) ? text : tagsBefore(text, from) + text.slice(from, end);
    const begin = (rateHz) => this.#begin(rateHz);
    if (this.timed) await this.#listen(await speech(this, said, "wav", signal, true), begin, end);
    else await readWav(await speech(this, said, "wav", signal), begin);
    this.#marked(end);
  }

  /** Sound, and the words in it. */
  async #listen(response, begin, end) {
    const reader = new WavReader(begin);
    const start = this.sound?.seconds ?? 0;
    let spoken = this.mark.characters;
    let done = false;
    for await (const { data } of eventsOf(response)) {
      if (data.type === "error") throw new Problem(sentence(data.error.message), data.error.code);
      if (data.type === "speech.audio.words") {
        const found = placed(data.words, this.text, spoken, end, start);
        this.words.push(...found);
        if (found.length) spoken = found.at(-1).at + found.at(-1).length;
      } else if (data.type === "speech.audio.delta") {
        reader.push(bytesOf(data.audio));
        this.#marked(this.#heardTo());
      }
      done ||= data.type === "speech.audio.done";
    }
    if (!done) throw new TypeError();
  }

  /** Where in the text the sound has come to: words may come before it. */
  #heardTo() {
    const end = this.sound.seconds + CLOSE;
    const last = this.words.findLast((word) => word.end <= end);
    return Math.max(this.mark.characters, last ? last.at + last.length : 0);
  }

  #begin(rateHz) {
    this.sound ??= new Sound(rateHz);
    if (this.state === "waiting") this.#become("speaking", t("speak.speaking"));
    return this.sound;
  }

  #marked(characters) {
    this.mark = { characters, samples: this.sound.length };
    this.dispatchEvent(new Event("mark"));
  }

  #fail(error) {
    if (error.name === "AbortError") this.#become("stopped", t("speak.stopped"));
    else if (error instanceof Problem) this.#become("failed", error.message);
    else {
      // The connection was closed in the middle of the answer.
      lost();
      this.#become("failed", this.sound ? t("speak.broken_kept", { time: clock(this.sound.seconds) }) : t("speak.broken"));
    }
  }

  #become(state, status) {
    Object.assign(this, { state, status });
    this.dispatchEvent(new Event("change"));
  }
}
