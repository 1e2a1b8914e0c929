// The player of an audiobook: what is heard, and where in its chapter.

import { el } from "../dom.js";
import { showPlaying } from "../icons.js";
import { clock } from "../words.js";

export function listening(player) {
  const play = el("button", { class: "play", onclick: () => player.toggle() });
  const title = el("strong");
  const time = el("span", { class: "number note" });
  const place = el("input", { type: "range", min: 0, step: 0.1, "aria-label": "Position in the chapter", oninput: () => player.seek(Number(place.value), { playing: player.playing }) });
  const element = el("div", { class: "listening", hidden: true }, play, el("div", {}, el("div", { class: "now" }, title, time), place));

  function update() {
    const { chapter } = player;
    element.hidden = !player.chapters.some(({ file }) => file);
    if (!chapter) return;
    element.classList.toggle("playing", player.playing);
    play.disabled = !chapter.file;
    showPlaying(play, player.playing, "", "Listen");
    title.textContent = chapter.title;
    place.max = player.seconds;
    onTick();
  }
  function onTick() {
    place.value = player.place;
    place.setAttribute("aria-valuetext", `${clock(player.place, 0)} of ${clock(player.seconds, 0)}`);
    time.textContent = player.failed ? "This browser cannot play it; download it." : `${clock(player.place, 0)} / ${clock(player.seconds, 0)}`;
  }
  player.addEventListener("change", update);
  player.addEventListener("tick", onTick);
  update();
  return element;
}
