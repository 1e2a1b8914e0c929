// A sound that is loaded when it is first played: a button and a waveform.

import { el, icon } from "../dom.js";
import { PAUSE, PLAY } from "../icons.js";
import { clock } from "../words.js";
import { decoded } from "./decode.js";
import { player } from "./player.js";
import { Waveform } from "./waveform.js";

/** `load` gets the file, as the answer to a request; `signal` ends its life. */
export function clip({ label, load, signal }) {
  let sound = null;
  const wave = new Waveform({ label: `Position in ${label}`, span: () => sound?.seconds ?? 3, signal });
  const play = el("button", { type: "button", class: "play", onclick: toggle });
  const time = el("span", { class: "number note" });
  const element = el("div", { class: "clip" }, play, wave.element, time);

  async function toggle() {
    if (!sound && !(await fetchSound())) return;
    player.toggle(sound);
  }
  async function fetchSound() {
    player.prepare(48000); // now, while this is a click: later the browser would not allow sound
    play.disabled = true;
    try {
      sound = await decoded(await (await load()).arrayBuffer());
      wave.show(sound);
    } catch {
      time.textContent = "cannot be played";
    } finally {
      play.disabled = false;
    }
    return sound;
  }
  function update() {
    const playing = sound !== null && player.playing && player.sound === sound;
    element.classList.toggle("playing", playing);
    play.setAttribute("aria-label", `${playing ? "Pause" : "Play"} ${label}`);
    play.replaceChildren(icon(playing ? PAUSE : PLAY));
    if (sound) time.textContent = clock(sound.seconds);
  }

  player.addEventListener("change", update, { signal });
  signal.addEventListener("abort", () => sound && player.sound === sound && player.pause());
  update();
  return element;
}
