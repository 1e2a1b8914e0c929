// A sound of a file: a button and a waveform.

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { showPlaying } from "../icons.js";
import { clock } from "../words.js";
import { decoded, RATE_HZ } from "./decode.js";
import { player } from "./player.js";
import { Sound } from "./sound.js";
import { readWav } from "./wav.js";
import { Waveform } from "./waveform.js";

/** `load` gets the file, as the answer to a request: now if `eager`. Where it `streams`, it is a WAV of the server's,
 * which is heard as it arrives. `signal` ends its life. */
export function clip({ label, load, eager = false, streams = () => false, signal }) {
  let sound = null;
  const wave = new Waveform({ label: t("speak.position", { what: label }), span: () => sound?.seconds ?? 3, signal });
  const play = el("button", { class: "play", onclick: toggle });
  const time = el("span", { class: "number note" });
  const element = el("div", { class: "clip" }, play, wave.element, time);

  async function toggle() {
    player.prepare(RATE_HZ); // now, while this is a click: later the browser would not allow sound
    if (sound || (await fetchSound())) player.toggle(sound);
  }
  async function fetchSound() {
    play.disabled = true;
    try {
      const answer = await load();
      sound = streams() ? await arriving(answer) : await decoded(await answer.arrayBuffer());
      wave.show(sound);
      sound.addEventListener("grow", update);
      update();
    } catch {
      time.textContent = t("sound.unplayable");
    } finally {
      play.disabled = false;
    }
    return sound;
  }
  /** The sound of an answer, once there is some of it. */
  const arriving = (answer) => new Promise((resolve, reject) => {
    const begun = (rateHz) => {
      const begin = new Sound(rateHz);
      resolve(begin);
      return begin;
    };
    readWav(answer, begun).catch(reject).finally(() => (sound ? sound.end() : reject(new Error())));
  });
  function update() {
    const playing = sound !== null && player.playing && player.sound === sound;
    element.classList.toggle("playing", playing);
    showPlaying(play, playing, label);
    if (sound) time.textContent = clock(sound.seconds);
  }

  player.addEventListener("change", update, { signal });
  signal.addEventListener("abort", () => sound && player.sound === sound && player.pause());
  update();
  if (eager) fetchSound();
  return element;
}
