// Plays one sound at a time, also one that is still arriving. Its events are "change" and, while it plays, "tick".

/** Time between the order to play and the first sample, so that none is cut off. */
const LEAD_SECONDS = 0.04;
/** What is handed over at once, and how far ahead: an hour would take a gigabyte. */
const PIECE_SECONDS = 10;
const AHEAD_SECONDS = 30;

class Player extends EventTarget {
  sound = null;
  playing = false;
  #contexts = new Map(); // by sample rate: pieces of one rate join without a seam
  #places = new WeakMap(); // where each sound was left, in samples
  #sources = new Set();
  #scheduled = 0; // samples of the sound that have been handed over
  #from = 0; // this sample …
  #at = 0; // … is heard at this time of the context

  /** Call this while a click is handled: browsers allow sound only then. */
  prepare(rateHz) {
    const context = this.#context(rateHz);
    if (context.state === "suspended") context.resume();
  }

  /** Where a sound is being heard, or was left, in seconds. */
  position(sound) {
    const sample = sound === this.sound && this.playing ? this.#sample() : (this.#places.get(sound) ?? 0);
    return sample / sound.rateHz;
  }

  toggle(sound) {
    if (sound === this.sound && this.playing) this.pause();
    else this.play(sound);
  }

  /** Play a take as soon as it sounds. */
  hear(take) {
    const begin = () => {
      if (!take.sound) return;
      take.removeEventListener("change", begin);
      this.play(take.sound);
    };
    take.addEventListener("change", begin);
  }

  /** Play from where it was left; from the beginning if it was at its end. */
  play(sound) {
    this.pause();
    const atEnd = sound.complete && this.position(sound) >= sound.seconds - 0.02;
    if (atEnd) this.#places.set(sound, 0);
    this.sound = sound;
    this.playing = true;
    this.prepare(sound.rateHz);
    sound.addEventListener("grow", this.#onGrow);
    this.#begin(this.#places.get(sound) ?? 0);
    this.#changed();
    this.#tick();
  }

  pause() {
    if (!this.playing) return;
    this.#places.set(this.sound, this.#sample());
    this.#silence();
    this.playing = false;
    this.sound.removeEventListener("grow", this.#onGrow);
    this.#changed();
  }

  seek(sound, seconds) {
    const sample = Math.round(Math.max(0, Math.min(seconds, sound.seconds)) * sound.rateHz);
    this.#places.set(sound, sample);
    if (sound === this.sound && this.playing) this.#begin(sample);
    this.#changed();
  }

  #context(rateHz) {
    if (!this.#contexts.has(rateHz)) this.#contexts.set(rateHz, new AudioContext({ sampleRate: rateHz }));
    return this.#contexts.get(rateHz);
  }

  #now() {
    return this.#context(this.sound.rateHz).currentTime;
  }

  /** What leaves the loudspeaker now: a context is that much ahead of it. */
  #sample() {
    const { outputLatency = 0 } = this.#context(this.sound.rateHz);
    const heard = this.#from + Math.max(0, this.#now() - outputLatency - this.#at) * this.sound.rateHz;
    return Math.min(Math.round(heard), this.#scheduled);
  }

  #begin(sample) {
    this.#silence();
    this.#scheduled = sample;
    this.#anchor(sample);
    this.#schedule();
  }

  #anchor(sample) {
    const rate = this.sound.rateHz;
    this.#from = sample;
    this.#at = Math.ceil((this.#now() + LEAD_SECONDS) * rate) / rate;
  }

  #onGrow = () => this.#schedule();

  /** Hand over what has arrived, and will soon be heard. */
  #schedule() {
    const { rateHz } = this.sound;
    const heard = this.#from + Math.max(0, this.#now() - this.#at) * rateHz;
    while (this.#scheduled < Math.min(this.sound.length, heard + AHEAD_SECONDS * rateHz)) this.#handOver();
  }

  #handOver() {
    const { sound } = this;
    const piece = sound.samples.subarray(this.#scheduled, this.#scheduled + PIECE_SECONDS * sound.rateHz);
    // What was handed over has been heard: go on from now.
    if (this.#at + (this.#scheduled - this.#from) / sound.rateHz < this.#now()) this.#anchor(this.#scheduled);
    const context = this.#context(sound.rateHz);
    const buffer = context.createBuffer(1, piece.length, sound.rateHz);
    buffer.copyToChannel(Float32Array.from(piece, (value) => value / 32768), 0);
    const source = new AudioBufferSourceNode(context, { buffer });
    source.connect(context.destination);
    source.start(this.#at + (this.#scheduled - this.#from) / sound.rateHz);
    source.onended = () => {
      this.#sources.delete(source);
      this.#schedule();
      if (!this.#sources.size) this.#onSilence();
    };
    this.#sources.add(source);
    this.#scheduled += piece.length;
  }

  #onSilence() {
    if (this.sound.complete) this.pause();
  }

  #silence() {
    for (const source of this.#sources) {
      source.onended = null;
      source.stop();
      source.disconnect();
    }
    this.#sources.clear();
  }

  #tick = () => {
    if (!this.playing) return;
    this.dispatchEvent(new Event("tick"));
    requestAnimationFrame(this.#tick);
  };

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

export const player = new Player();
