// The sounds of the takes: the one just recorded, and others as they are asked for. Only the last ones are kept.

import { Sound } from "../sound/sound.js";
import { readTake } from "./api.js";

const MOST = 12;
const RATE_HZ = 48000;

export class Takes {
  #sounds = new Map(); // by number, the last one last; null while it is on its way

  constructor(names, onLoad) {
    Object.assign(this, { names, onLoad });
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
      const decoder = new OfflineAudioContext(1, 1, RATE_HZ);
      const decoded = await decoder.decodeAudioData(await readTake(this.names, number));
      if (this.#sounds.get(number) !== null) return; // it was recorded again in the meantime
      const sound = new Sound(RATE_HZ);
      sound.append(Int16Array.from(decoded.getChannelData(0), (value) => Math.max(-32768, Math.min(32767, value * 32768))));
      sound.end();
      this.add(number, sound);
      this.onLoad();
    } catch {
      this.#sounds.delete(number); // the next look at it tries again
    }
  }
}
