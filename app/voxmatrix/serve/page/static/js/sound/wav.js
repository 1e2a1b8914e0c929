// The server's WAV: a header of 44 bytes, then 16-bit samples of one channel.

import { Sound } from "./sound.js";

const HEADER_BYTES = 44;
const RATE_AT = 24;

/** Read a streamed answer into a Sound. `onSound` gets it once its first bytes are here. */
export async function readWav(response, onSound) {
  const reader = response.body.getReader();
  let rest = new Uint8Array();
  let sound = null;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    rest = joined(rest, value);
    if (!sound && rest.length >= HEADER_BYTES) {
      sound = new Sound(new DataView(rest.buffer).getUint32(RATE_AT, true));
      rest = rest.slice(HEADER_BYTES);
      onSound(sound);
    }
    if (sound) {
      const whole = rest.length & ~1; // a sample may be cut in two
      sound.append(new Int16Array(rest.slice(0, whole).buffer));
      rest = rest.slice(whole);
    }
  }
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
