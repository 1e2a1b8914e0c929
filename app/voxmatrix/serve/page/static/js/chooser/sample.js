// A button that lets a voice say something, once; then it is there to be heard again.

import { el } from "../dom.js";
import { showPlaying } from "../icons.js";
import { player } from "../sound/player.js";
import { Take } from "../speak/take.js";

/** `problem` is where it is said what went wrong; `signal` ends the life of the button. */
export function sampleButton({ id, title, language, rate_hz: rateHz }, problem, signal) {
  const button = el("button", { class: "play", onclick: press });
  let take = null;

  async function press() {
    player.prepare(rateHz); // now, while this is a click: later the browser would not allow sound
    if (take?.sound) return player.toggle(take.sound);
    if (take?.state === "waiting") return undefined;
    problem.textContent = "";
    const { sampleOf } = await import("../voices/samples.js");
    take = new Take({ voice: id, label: title, text: sampleOf(language), speed: 1, knobs: {} });
    take.addEventListener("change", update);
    player.pause();
    player.hear(take);
    take.compute(signal);
    return update();
  }
  function update() {
    showPlaying(button, Boolean(take?.sound && player.playing && player.sound === take.sound), title, "play.hear");
    button.classList.toggle("busy", take?.state === "waiting");
    if (take?.state === "failed") {
      problem.textContent = take.status;
      if (!take.sound) take = null;
    }
  }

  player.addEventListener("change", update, { signal });
  signal.addEventListener("abort", () => take?.sound && player.sound === take.sound && player.pause());
  update();
  return button;
}
