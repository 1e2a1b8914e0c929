// The sounds of the takes, read when they are asked for. Only the last ones are kept.

import { decoded } from "../sound/decode.js";
import { readTake } from "./api.js";

const MOST = 12;

export class Takes {
  #sounds = new Map(); // by number, the last one last; null while it is on its way

  constructor(names, onLoad) {
    this.names = names;
    this.onLoad = onLoad;
  }

  add(number, sound) {
    this.#sounds.delete(number);
    this.#sounds.set(number, sound);
    if (this.#sounds.size > MOST) this.#sounds.delete(this.#sounds.keys().next().value);
  }

  /** The sound of a prompt's take; null until it is here, for which `onLoad` is called. */
  of({ number, take }) {
    if (take && !this.#sounds.has(number)) this.#load(number);
    return this.#sounds.get(number) ?? null;
  }

  /** Forget those that are different now. */
  forget(before, after) {
    before.forEach(({ number, take }) => {
      if (JSON.stringify(take) !== JSON.stringify(after[number - 1]?.take)) this.#sounds.delete(number);
    });
  }

  async #load(number) {
    this.add(number, null);
    try {
      const sound = await decoded(await readTake(this.names, number));
      if (this.#sounds.get(number) !== null) return; // it was recorded again in the meantime
      this.add(number, sound);
      this.onLoad();
    } catch {
      this.#sounds.delete(number); // the next look at it tries again
    }
  }
}
