// The level of the microphone: a bar with a place for good, and a word for it.

import { el, level } from "../dom.js";
import { t } from "../i18n.js";

const FLOOR_DB = -60;
const QUIET_DB = -30;
const LOUD_DB = -1.5;
/** The word follows the loudest moment of this long, so that it does not flicker between words. */
const HOLD_MS = 2000;
const FALL = 0.86; // of the bar, per block

export class Meter {
  #bar = el("span", { class: "bar" });
  #word = el("span", { class: "word" });
  #shown = 0;
  #loudest = 0;
  #until = 0;

  constructor() {
    this.track = el("span", { class: "track", role: "meter", "aria-label": t("record.level"), "aria-valuemin": FLOOR_DB, "aria-valuemax": 0 }, this.#bar);
    this.element = el("div", { class: "meter" }, this.track, this.#word);
    this.show({ peak: 0 }, "off");
  }

  /** `mode` is what the studio is doing, `problem` why the microphone cannot be used. */
  show({ peak }, mode, problem) {
    const now = performance.now();
    if (peak >= this.#loudest || now > this.#until) [this.#loudest, this.#until] = [peak, now + HOLD_MS];
    this.#shown = Math.max(peak, this.#shown * FALL);
    const [verdict, word] = this.#verdict(mode, problem);
    level(this.#bar, place(this.#shown));
    this.element.dataset.verdict = verdict;
    if (this.#word.textContent !== word) this.#word.textContent = word;
    this.track.setAttribute("aria-valuenow", Math.round(decibels(this.#loudest)));
    this.track.setAttribute("aria-valuetext", word);
  }

  #verdict(mode, problem) {
    if (!["ready", "recording", "saving"].includes(mode)) return ["none", problem ?? t("record.mic_off")];
    const level = decibels(this.#loudest);
    if (level >= LOUD_DB) return ["loud", t("record.too_loud")];
    if (level >= QUIET_DB) return ["good", t("record.good_level")];
    return mode === "recording" ? ["quiet", t("record.too_quiet")] : ["none", t("record.speak_to_see")];
  }
}

const decibels = (peak) => Math.max(FLOOR_DB, 20 * Math.log10(peak || 1e-9));
const place = (peak) => 1 - decibels(peak) / FLOOR_DB;
