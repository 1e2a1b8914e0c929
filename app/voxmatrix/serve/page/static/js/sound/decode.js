// Audio files of any format that the browser knows.

import { Sound } from "./sound.js";

export const RATE_HZ = 48000;

/** The sound of a file, an ArrayBuffer: its first channel at 48 kHz. Throws if it is no audio. */
export async function decoded(file) {
  const audio = await new OfflineAudioContext(1, 1, RATE_HZ).decodeAudioData(file);
  const sound = new Sound(RATE_HZ);
  sound.append(Int16Array.from(audio.getChannelData(0), (value) => Math.max(-32768, Math.min(32767, value * 32768))));
  sound.end();
  return sound;
}
