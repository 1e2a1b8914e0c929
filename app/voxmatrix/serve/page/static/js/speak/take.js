// A take: one voice speaks one text. It knows how far that is, and tells it with the event "change".

import { Problem, speech } from "../api.js";
import { lost } from "../connection.js";
import { t } from "../i18n.js";
import { readWav, wavFile } from "../sound/wav.js";
import { CHARACTERS_PER_SECOND, clock } from "../words.js";

export class Take extends EventTarget {
  state = "waiting"; // then: speaking, and done, stopped or failed
  sound = null;
  status = t("speak.waiting");

  /**
   * What is not given is as usual.
   * @param {{voice: string, label: string, text: string, speed: number, knobs: object, sentence_pause?: number, volume?: number, lexicon?: object, cast?: object}} what
   */
  constructor({ voice, label, text, speed, knobs, sentence_pause, volume, lexicon, cast }) {
    super();
    this.voice = voice;
    this.label = label;
    this.text = text;
    this.speed = speed;
    this.knobs = knobs;
    this.sentence_pause = sentence_pause;
    this.volume = volume;
    this.lexicon = lexicon;
    this.cast = cast;
  }

  /** How long it is or, while that is unknown, will probably be. */
  get span() {
    const seconds = this.sound?.seconds ?? 0;
    if (["done", "stopped", "failed"].includes(this.state) && seconds) return seconds;
    return Math.max(1 + this.text.length / CHARACTERS_PER_SECOND / this.speed, seconds * 1.06);
  }

  /** Let the server speak. */
  async compute(signal) {
    const began = performance.now();
    this.#become("waiting", t("speak.waiting_first"));
    try {
      const response = await speech(this, "wav", signal);
      await readWav(response, (sound) => {
        this.sound = sound;
        this.#become("speaking", t("speak.speaking"));
      });
      const took = (performance.now() - began) / 1000;
      this.#become("done", t("speak.took", { seconds: this.sound.seconds.toFixed(1), took: took.toFixed(1) }));
    } catch (error) {
      this.#fail(error);
    }
    this.sound?.end();
  }

  /** It will not be computed. */
  skip() {
    this.#become("stopped", t("speak.stopped"));
  }

  /** A file of it: what was heard as WAV; other formats are spoken once more, by the server. */
  async file(format) {
    if (format === "wav") return wavFile(this.sound);
    return (await speech(this, format)).blob();
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
