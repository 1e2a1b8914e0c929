// Sound as it arrives: its samples, and the peaks that are drawn of it.

const PEAKS_PER_SECOND = 200;

export class Sound extends EventTarget {
  complete = false;
  length = 0;
  #samples = new Int16Array(1 << 16);
  #peaks = new Float32Array(1 << 10);
  #energies = new Float32Array(1 << 10);

  constructor(rateHz) {
    super();
    this.rateHz = rateHz;
    this.step = Math.round(rateHz / PEAKS_PER_SECOND);
  }

  /** The highest peak of all, in 0…1. */
  loudest = 0;

  get seconds() {
    return this.length / this.rateHz;
  }

  /** The samples so far, as they are. */
  get samples() {
    return this.#samples.subarray(0, this.length);
  }

  append(samples) {
    if (!samples.length) return;
    this.#samples = withRoom(this.#samples, this.length + samples.length);
    this.#samples.set(samples, this.length);
    const first = Math.floor(this.length / this.step);
    this.length += samples.length;
    this.#measure(first);
    this.dispatchEvent(new Event("grow"));
  }

  /** More will come, after this many of its samples. */
  goOn(length) {
    this.complete = false;
    this.length = Math.min(this.length, length);
  }

  /** Nothing more will come. */
  end() {
    this.complete = true;
    this.dispatchEvent(new Event("grow"));
  }

  /** The highest peak and the loudness (root mean square) between two times, in 0…1. */
  level(from, to) {
    const last = Math.ceil(this.length / this.step);
    const start = Math.max(0, Math.floor(from * PEAKS_PER_SECOND));
    const end = Math.min(last, Math.max(start + 1, Math.floor(to * PEAKS_PER_SECOND)));
    let peak = 0;
    let energy = 0;
    for (let at = start; at < end; at++) {
      peak = Math.max(peak, this.#peaks[at]);
      energy += this.#energies[at];
    }
    return { peak, loudness: end > start ? Math.sqrt(energy / (end - start)) : 0 };
  }

  #measure(first) {
    const last = Math.ceil(this.length / this.step);
    this.#peaks = withRoom(this.#peaks, last);
    this.#energies = withRoom(this.#energies, last);
    for (let at = first; at < last; at++) {
      let peak = 0;
      let energy = 0;
      const end = Math.min(this.length, (at + 1) * this.step);
      for (let i = at * this.step; i < end; i++) {
        const value = Math.abs(this.#samples[i]) / 32768;
        peak = Math.max(peak, value);
        energy += value * value;
      }
      this.#peaks[at] = peak;
      this.loudest = Math.max(this.loudest, peak);
      this.#energies[at] = energy / (end - at * this.step);
    }
  }
}

function withRoom(array, length) {
  if (array.length >= length) return array;
  const larger = new array.constructor(Math.max(length, Math.ceil(1.5 * array.length)));
  larger.set(array);
  return larger;
}
