// A few sentences, heard at once.

import { el, icon } from "../dom.js";
import { player } from "../sound/player.js";
import { Waveform } from "../sound/waveform.js";
import { Take } from "../speak/take.js";

const PLAY = "M8 5.5v13l11-6.5z";
const PAUSE = "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z";

export class Hearing {
  #take = null;
  #shown = null; // its sound
  #wave;
  #running = new AbortController();
  #play = el("button", { type: "button", class: "play", onclick: () => player.toggle(this.#take.sound) });
  #label = el("p", { class: "hearing-label" });
  #status = el("p", { class: "note", role: "status" });

  /** `signal` ends its life. */
  constructor(signal) {
    this.#wave = new Waveform({ label: "Position in the preview", span: () => this.#take?.span ?? 3, signal });
    this.element = el("div", { class: "hearing", hidden: true }, this.#play, this.#wave.element, el("div", {}, this.#label, this.#status));
    player.addEventListener("change", () => this.#update(), { signal });
    signal.addEventListener("abort", () => this.stop());
  }

  /** Speak a text; to be called while a click is handled. */
  async hear({ label, text, voice, rateHz, speed }) {
    this.stop();
    player.prepare(rateHz);
    const take = new Take({ voice, label, text, speed });
    this.#take = take;
    this.#running = new AbortController();
    this.#label.textContent = label;
    this.#wave.show(null);
    this.element.hidden = false;
    take.addEventListener("change", () => take === this.#take && this.#onChange());
    this.#update();
    await take.compute(this.#running.signal);
  }

  stop() {
    this.#running.abort();
    if (this.#take?.sound && player.sound === this.#take.sound) player.pause();
  }

  #onChange() {
    const { sound } = this.#take;
    if (sound && sound !== this.#shown) {
      this.#shown = sound;
      this.#wave.show(sound);
      player.play(sound);
    }
    this.#wave.refresh();
    this.#update();
  }

  #update() {
    const sound = this.#take?.sound;
    const playing = Boolean(sound) && player.playing && player.sound === sound;
    this.element.classList.toggle("playing", playing);
    this.element.dataset.state = this.#take?.state ?? "";
    this.#play.disabled = !sound;
    this.#play.setAttribute("aria-label", playing ? "Pause the preview" : "Play the preview");
    this.#play.replaceChildren(icon(playing ? PAUSE : PLAY));
    this.#status.textContent = this.#take?.status ?? "";
  }
}
