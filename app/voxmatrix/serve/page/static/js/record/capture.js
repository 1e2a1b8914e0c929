// Runs beside the page, in the thread of the sound: hands over what the microphone hears, in blocks of some hundredths
// of a second.

const BLOCK = 2048;

class Capture extends AudioWorkletProcessor {
  #block = new Float32Array(BLOCK);
  #filled = 0;

  process([channels]) {
    const [samples] = channels;
    if (!samples) return true; // nothing is connected yet
    for (const sample of samples) {
      this.#block[this.#filled++] = sample;
      if (this.#filled === BLOCK) {
        this.port.postMessage(this.#block, [this.#block.buffer]);
        this.#block = new Float32Array(BLOCK);
        this.#filled = 0;
      }
    }
    return true;
  }
}

registerProcessor("capture", Capture);
