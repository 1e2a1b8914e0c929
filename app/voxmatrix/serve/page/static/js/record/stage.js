// The sentence that is read now, its take, and the buttons.

import { el, icon, note } from "../dom.js";
import { t } from "../i18n.js";
import { player } from "../sound/player.js";
import { Waveform } from "../sound/waveform.js";
import { CHARACTERS_PER_SECOND, clock } from "../words.js";
import { verdict } from "./verdict.js";

const MICROPHONE = "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3ZM5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21";
/** What the main button does. */
export const MAIN = {
  off: t("record.turn_on"),
  starting: t("record.wait"),
  failed: t("record.try_again"),
  ready: t("record.record"),
  recording: t("record.stop"),
  saving: t("record.judging"),
};

/** `act` are the things that a person can do: main, next, redo, skip, play, step(by). */
export class Stage {
  #sound = null;
  #text = "";
  #shown = 0;
  #count = el("span", { class: "number" });
  #sentence = el("p", { class: "sentence", tabindex: "-1" });
  #result = el("div", { class: "verdict-of" });
  #said = el("p", { class: "hidden", role: "status" });

  constructor(act, signal) {
    const span = () => (this.#sound?.complete ? this.#sound.seconds : Math.max(1.5 + this.#text.length / CHARACTERS_PER_SECOND, (this.#sound?.seconds ?? 0) * 1.06));
    this.wave = new Waveform({ label: t("record.position"), span, signal });
    const step = (by, label, path) => el("button", { class: "step", "aria-label": label, title: label, onclick: () => act.step(by) }, icon(path));
    this.main = el("button", { class: "main", "aria-keyshortcuts": "Space", onclick: act.main }, el("span", { class: "shape", "aria-hidden": "true" }), icon(MICROPHONE));
    this.under = el("span", { class: "under-main" });
    this.play = button(t("record.play"), "P", act.play);
    this.redo = button(t("record.redo"), "R", act.redo);
    this.skip = button(t("record.skip"), "S", act.skip);
    this.next = button(t("record.next"), "↵", act.next, "primary");
    this.next.setAttribute("aria-keyshortcuts", "Enter");
    this.element = el("div", { class: "stage" },
      el("div", { class: "where" }, this.#count, el("span", {}, step(-1, t("record.previous_sentence"), "M15 5l-7 7 7 7"), step(1, t("record.next_sentence"), "M9 5l7 7-7 7"))),
      this.#sentence, this.wave.element, this.#result, this.#said,
      el("div", { class: "controls" },
        el("div", { class: "small" }, this.play, this.redo, this.skip),
        el("div", { class: "center" }, this.main, el("span", { class: "below", "aria-hidden": "true" }, this.under, el("kbd", {}, t("record.space")))),
        el("div", { class: "last" }, this.next)));
    player.addEventListener("change", () => this.#showPlay(), { signal });
  }

  focus() {
    this.#sentence.focus({ preventScroll: true });
  }

  /** Tell something that is not about the take. */
  say(words) {
    this.#result.replaceChildren(note(words));
    this.#said.textContent = words;
  }

  /** Show where the studio is: `mode` is what it does, `sound` the take that can be heard, if any. */
  update({ prompt, list, mode, sound, problem }) {
    this.element.dataset.mode = mode;
    this.#text = prompt.text;
    this.#count.textContent = t("record.sentence_of", { number: prompt.number, prompts: list.prompts });
    if (this.#shown !== prompt.number) {
      this.#shown = prompt.number;
      this.#sentence.textContent = prompt.text;
      this.#sentence.lang = list.language;
    }
    if (this.#sound !== sound) this.wave.show((this.#sound = sound));
    else this.wave.refresh();
    this.main.setAttribute("aria-label", MAIN[mode]);
    this.main.setAttribute("aria-disabled", mode === "starting" || mode === "saving"); // and keeps the focus
    this.redo.disabled = !prompt.take || mode !== "ready";
    this.skip.disabled = !["ready", "off", "failed"].includes(mode) || prompt.state === "recorded";
    this.skip.firstChild.textContent = t(prompt.state === "skipped" ? "record.no_skip" : "record.skip");
    this.next.disabled = !prompt.take || mode === "recording";
    this.#showPlay();
    this.#judge(prompt, mode, problem);
  }

  /** What changes while it records. */
  tick() {
    const seconds = this.#sound?.seconds ?? 0;
    const { mode } = this.element.dataset;
    this.under.textContent = mode === "recording" ? clock(seconds) : MAIN[mode];
  }

  #judge(prompt, mode, problem) {
    const [words, view] = verdict(prompt, mode, problem);
    this.#result.replaceChildren(view);
    if (this.#said.textContent !== words) this.#said.textContent = words;
    this.tick();
  }

  #showPlay() {
    const playing = player.playing && player.sound === this.#sound;
    this.play.disabled = !this.#sound?.complete;
    this.play.firstChild.textContent = t(playing ? "record.pause" : "record.play");
  }
}

function button(label, key, onclick, kind = "quiet") {
  return el("button", { class: kind, onclick, "aria-keyshortcuts": key }, el("span", {}, label), el("kbd", { "aria-hidden": "true" }, key));
}
