// What is shown of a take.

import { byId, el, icon, save } from "../dom.js";
import { t } from "../i18n.js";
import { ARROW, showPlaying } from "../icons.js";
import { player } from "../sound/player.js";
import { Waveform } from "../sound/waveform.js";
import { clock, joined, shortened } from "../words.js";

const SUBTITLES = ["srt", "vtt"];

/** `span` tells the width of the waveform in seconds: takes side by side share one. `goOn` lets it be spoken to its end. */
export function takeView(take, span, signal, goOn = undefined) {
  const wave = new Waveform({ label: t("speak.position", { what: take.label }), span, signal });
  const play = el("button", { class: "play", disabled: true, onclick: () => player.toggle(take.sound) });
  const time = el("span", { class: "number time" });
  const status = el("span", { class: "status" });
  const download = el("button", { class: "quiet download", disabled: true, onclick: () => keep(take, download, status) }, icon(ARROW), el("span"));
  const further = el("button", { class: "quiet", hidden: true, onclick: () => goOn(take) }, t("speak.go_on"));
  const melody = el("button", { class: "quiet", hidden: true, "aria-expanded": "false", onclick: () => showMelody() }, t("speak.melody"));
  const below = el("div", { class: "melody-place" });
  const element = el("div", { class: "take" },
    play, wave.element,
    el("div", { class: "facts" }, el("strong", {}, take.label), time, status, further, melody),
    download, below);
  let hidden = new AbortController();

  async function showMelody() {
    const opens = !below.firstChild;
    melody.setAttribute("aria-expanded", String(opens));
    hidden.abort();
    hidden = new AbortController();
    const ends = AbortSignal.any([signal, hidden.signal]);
    below.replaceChildren(...(opens ? [(await import("./melody.js")).melody(take, ends)] : []));
  }

  let shown = null;
  function update() {
    if (take.sound && take.sound !== shown) {
      shown = take.sound;
      wave.show(shown);
      shown.addEventListener("grow", update);
    }
    element.dataset.state = take.state;
    status.textContent = joined(take.status, take.speed !== 1 && t("style.times", { value: take.speed }));
    play.disabled = !take.sound;
    const format = byId("format").value;
    // What was spoken until it was stopped can be kept too, but not be spoken once more.
    const isHere = format === "wav" || SUBTITLES.includes(format);
    download.disabled = !(take.state === "done" || (take.sound?.complete && isHere)) || (SUBTITLES.includes(format) && !take.words.length);
    further.hidden = !(goOn && take.isUnfinished && (take.sound || !take.mark.characters) && ["stopped", "failed"].includes(take.state));
    melody.hidden = !take.sound || !take.words.length;
    download.lastChild.textContent = format;
    download.setAttribute("aria-label", t("speak.download_as", { what: take.label, format }));
    onPlayer();
    wave.refresh();
  }
  function onPlayer() {
    const playing = player.playing && player.sound === take.sound;
    element.classList.toggle("playing", playing);
    showPlaying(play, playing, take.label);
    onTick();
  }
  function onTick() {
    const sound = take.sound;
    time.textContent = sound ? `${clock(player.position(sound))} / ${clock(sound.seconds)}` : "";
  }

  take.addEventListener("change", update);
  player.addEventListener("change", onPlayer, { signal });
  player.addEventListener("tick", () => player.sound === take.sound && onTick(), { signal });
  byId("format").addEventListener("change", update, { signal });
  update();
  return { element, refresh: () => wave.refresh() };
}

async function keep(take, button, status) {
  const format = byId("format").value;
  const before = status.textContent;
  const tell = (message) => {
    status.textContent = message || before;
    status.classList.toggle("told", message !== "");
  };
  button.disabled = true;
  try {
    if (SUBTITLES.includes(format)) {
      const { subtitles } = await import("./subtitles.js");
      return save(subtitles(take.text, take.words, format), `${fileName(take)}.${format}`);
    }
    if (format !== "wav" && take.text.length > take.limit) {
      const { makeFile } = await import("./file.js");
      return await makeFile(take, format);
    }
    if (format !== "wav") tell(t("speak.once_more", { format }));
    save(await take.file(format), `${fileName(take)}.${format}`);
    tell("");
  } catch (problem) {
    tell(problem.message);
  } finally {
    button.disabled = false;
  }
  return undefined;
}

const fileName = (take) =>
  shortened(take.text, 40).replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase() || "speech";
