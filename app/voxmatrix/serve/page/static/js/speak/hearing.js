// A few sentences, heard at once.

import { el } from "../dom.js";
import { player } from "../sound/player.js";
import { takeView } from "./take-view.js";
import { Take } from "./take.js";

export class Hearing {
  #take = null;
  #end = new AbortController(); // of the take
  element = el("div", { class: "hearing", hidden: true });

  /** `signal` ends its life. */
  constructor(signal) {
    signal.addEventListener("abort", () => this.stop());
  }

  /** Speak a text; to be called while a click is handled. */
  async hear(what) {
    this.stop();
    player.prepare(what.rateHz);
    const take = (this.#take = new Take(what));
    const { signal } = (this.#end = new AbortController());
    const view = takeView(take, () => take.span, signal);
    player.hear(take);
    this.element.replaceChildren(view.element);
    this.element.hidden = false;
    await take.compute(signal);
  }

  stop() {
    this.#end.abort();
    if (this.#take?.sound && player.sound === this.#take.sound) player.pause();
  }
}
