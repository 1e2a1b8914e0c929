// The player of an audiobook: what is heard, and where in its chapter.

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { showPlaying } from "../icons.js";
import { clock } from "../words.js";

export function listening(player) {
  const play = el("button", { class: "play", onclick: () => player.toggle() });
  const title = el("strong");
  const time = el("span", { class: "number note" });
  const place = el("input", { type: "range", min: 0, step: 0.1, "aria-label": t("book.position"), oninput: () => player.seek(Number(place.value), { playing: player.playing }) });
  const element = el("div", { class: "listening", hidden: true }, play, el("div", {}, el("div", { class: "now" }, title, time), place));

  function update() {
    const { chapter } = player;
    element.hidden = !player.chapters.some(({ file }) => file);
    if (!chapter) return;
    element.classList.toggle("playing", player.playing);
    play.disabled = !chapter.file;
    showPlaying(play, player.playing, "", "play.listen");
    title.textContent = chapter.title;
    place.max = player.seconds;
    onTick();
  }
  function onTick() {
    place.value = player.place;
    place.setAttribute("aria-valuetext", t("book.place", { now: clock(player.place, 0), all: clock(player.seconds, 0) }));
    time.textContent = player.failed ? t("book.unplayable") : `${clock(player.place, 0)} / ${clock(player.seconds, 0)}`;
  }
  player.addEventListener("change", update);
  player.addEventListener("tick", onTick);
  update();
  return element;
}
