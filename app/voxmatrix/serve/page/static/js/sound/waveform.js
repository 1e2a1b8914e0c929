// The waveform: it grows as sound arrives; what was heard has the accent colour.

import { t } from "../i18n.js";
import { player } from "./player.js";
import { paint } from "./paint.js";
import { el } from "../dom.js";
import { clock } from "../words.js";

const STEP_SECONDS = 1;
const PAGE_SECONDS = 5;
const SILENCE = { peak: 0, loudness: 0 };
const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * `span` tells how many seconds the whole width is, which may change as more is known.
 * `signal` ends its life.
 */
export class Waveform {
  #sound = null;
  #peaks = new Float32Array(); // of the bars, as drawn now
  #cores = new Float32Array();
  #levels = { of: "", bars: [] };
  #span = 0;
  #hover = null;
  #due = false;

  constructor({ label, span, signal }) {
    this.spanOf = span;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.element = el("div", { class: "wave", role: "slider", tabindex: "0", "aria-label": label, "aria-disabled": "true" }, this.canvas);
    this.#announce();
    const on = (target, name, listener) => target.addEventListener(name, listener, { signal });
    on(this.element, "pointermove", (event) => this.#point(event.offsetX));
    on(this.element, "pointerleave", () => this.#point(null));
    on(this.element, "pointerdown", (event) => this.#seekTo(event));
    on(this.element, "keydown", (event) => this.#onKey(event));
    on(player, "change", () => this.refresh());
    on(player, "tick", () => player.sound === this.#sound && this.refresh());
    on(window, "colours", () => this.refresh());
    const resized = new ResizeObserver(() => this.refresh());
    resized.observe(this.element);
    signal.addEventListener("abort", () => resized.disconnect());
  }

  /** Show a sound from now on, or none. */
  show(sound) {
    this.#sound = sound;
    if (sound) this.element.removeAttribute("aria-disabled");
    else this.element.setAttribute("aria-disabled", "true");
    sound?.addEventListener("grow", () => this.refresh());
    this.refresh();
  }

  /** Draw again, soon. */
  refresh() {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#due = false;
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width) return;
    this.#announce();
    const wanted = this.spanOf();
    const share = still.matches ? 1 : 0.18; // of the way to go, per frame
    this.#span = this.#span ? this.#span + (wanted - this.#span) * share : wanted;
    const moving = Math.abs(wanted - this.#span) > wanted / width / 4;
    if (!moving) this.#span = wanted;
    const pitch = height > 80 ? 5 : 4;
    const settled = this.#rise(Math.floor(width / pitch), share);
    const sound = this.#sound;
    const place = sound ? player.position(sound) : 0;
    paint(this.canvas, {
      width, height, pitch,
      peaks: this.#peaks,
      cores: this.#cores,
      span: this.#span,
      played: place > 0 ? place : null,
      hover: this.#hover,
    });
    if (moving || !settled) this.refresh();
  }

  /** Move each bar towards the level of its time. Whether all are there. */
  #rise(count, share) {
    if (this.#peaks.length !== count) [this.#peaks, this.#cores] = [new Float32Array(count), new Float32Array(count)];
    const sound = this.#sound;
    const loudest = Math.max(0.2, sound?.loudest ?? 0);
    const each = this.#span / count;
    const levels = this.#levelsOf(count, each);
    let settled = true;
    const move = (bars, at, target) => {
      const left = target - bars[at];
      const near = Math.abs(left) < 0.004;
      bars[at] += near ? left : left * Math.max(share, 0.25);
      settled &&= near;
    };
    for (let at = 0; at < count; at++) {
      const level = levels[at];
      const peak = (level.peak / loudest) ** 1.15; // a little more difference between loud and soft
      move(this.#peaks, at, peak);
      move(this.#cores, at, Math.min(peak, (1.7 * level.loudness) / loudest));
    }
    return settled;
  }

  /** The levels of the bars: of an hour, they are not looked up for each frame. */
  #levelsOf(count, each) {
    const sound = this.#sound;
    const end = sound?.seconds ?? 0;
    const of = `${count} ${each} ${end}`;
    if (this.#levels.of !== of) this.#levels = { of, bars: Array.from({ length: count }, (_, at) => (at * each < end ? sound.level(at * each, (at + 1) * each) : SILENCE)) };
    return this.#levels.bars;
  }

  #announce() {
    const sound = this.#sound;
    const now = sound ? player.position(sound) : 0;
    const all = sound?.seconds ?? 0;
    const set = (name, value) => this.element.setAttribute(name, value);
    set("aria-valuemin", "0");
    set("aria-valuemax", all.toFixed(2));
    set("aria-valuenow", now.toFixed(2));
    set("aria-valuetext", all ? t("sound.place", { now: clock(now), all: clock(all) }) : t("sound.nothing"));
  }

  #point(x) {
    this.#hover = x;
    this.refresh();
  }

  #seekTo(event) {
    if (this.#sound) player.seek(this.#sound, (event.offsetX / this.element.clientWidth) * this.#span);
  }

  #onKey(event) {
    const sound = this.#sound;
    if (!sound) return;
    const by = {
      ArrowLeft: -STEP_SECONDS, ArrowRight: STEP_SECONDS, ArrowDown: -STEP_SECONDS, ArrowUp: STEP_SECONDS,
      PageDown: -PAGE_SECONDS, PageUp: PAGE_SECONDS, Home: -Infinity, End: Infinity,
    }[event.key];
    if (by) player.seek(sound, player.position(sound) + by);
    else if (event.key === " " || event.key === "Enter") player.toggle(sound);
    else return;
    event.preventDefault();
  }
}
