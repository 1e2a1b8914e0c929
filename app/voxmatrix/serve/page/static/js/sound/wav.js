// The server's WAV: a header of 44 bytes, then 16-bit samples of one channel.

const HEADER_BYTES = 44;
const RATE_AT = 24;

/** Reads a WAV as its bytes come. `begin` gets its sample rate, and gives the Sound that it becomes a part of. */
export class WavReader {
  #rest = new Uint8Array();
  #sound = null;

  constructor(begin) {
    this.begin = begin;
  }

  push(bytes) {
    let rest = joined(this.#rest, bytes);
    if (!this.#sound && rest.length >= HEADER_BYTES) {
      this.#sound = this.begin(new DataView(rest.buffer).getUint32(RATE_AT, true));
      rest = rest.slice(HEADER_BYTES);
    }
    const whole = this.#sound ? rest.length & ~1 : 0; // a sample may be cut in two
    this.#rest = rest.slice(whole);
    this.#sound?.append(new Int16Array(rest.slice(0, whole).buffer));
  }
}

/** Read a streamed answer, as a WavReader does. */
export async function readWav(response, begin) {
  const reader = response.body.getReader();
  const wav = new WavReader(begin);
  for (let read = await reader.read(); !read.done; read = await reader.read()) wav.push(read.value);
}

function joined(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** A WAV file of a sound. */
export function wavFile(sound) {
  const bytes = 2 * sound.length;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES));
  const text = (at, word) => [...word].forEach((letter, i) => view.setUint8(at + i, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + bytes, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true); // bytes of the format that follows
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // channels
  view.setUint32(RATE_AT, sound.rateHz, true);
  view.setUint32(28, 2 * sound.rateHz, true); // bytes per second
  view.setUint16(32, 2, true); // bytes per sample
  view.setUint16(34, 16, true); // bits per sample
  text(36, "data");
  view.setUint32(40, bytes, true);
  return new Blob([view, sound.samples], { type: "audio/wav" });
}
