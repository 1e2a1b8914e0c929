// What was spoken, the newest first and large; also on earlier visits.

import { byId, el, icon } from "../dom.js";
import { t } from "../i18n.js";
import { player } from "../sound/player.js";
import { Sound } from "../sound/sound.js";
import { along } from "./along.js";
import { forget, Keeping, savedPieces, savedResults } from "./store.js";
import { takeView } from "./take-view.js";
import { Take } from "./take.js";

const MOST = 12;
const CROSS = "M6 6l12 12M18 6 6 18";
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Results {
  #list = byId("results");
  #shown = []; // {id, end, element}, newest first

  /** `goOn` lets a take that was stopped go on; `lexicon` keeps pronunciations; `onForget` gets takes that are gone. */
  constructor({ goOn, lexicon, onForget }) {
    this.goOn = goOn;
    this.onForget = onForget;
    this.lexicon = lexicon;
    this.#showEmpty();
    this.#restore().catch((problem) => console.warn(problem)); // the browser keeps nothing
  }

  /** Show takes of the same text. */
  add(text, takes) {
    const id = Date.now();
    const shown = this.#show(id, text, takes);
    new Keeping(id, text, takes, shown.end.signal);
    this.#list.prepend(shown.element);
    if (this.#shown.length > MOST) this.forget(this.#shown.at(-1));
    shown.element.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
    return shown;
  }

  #show(id, text, takes) {
    if (!this.#shown.length) this.#list.replaceChildren();
    const end = new AbortController();
    const { signal } = end;
    const span = () => Math.max(...takes.map((take) => take.span));
    const views = takes.map((take) => takeView(take, span, signal, this.goOn));
    // They share one scale: when one gets longer, all are drawn again.
    for (const take of takes) take.addEventListener("change", () => views.forEach((view) => view.refresh()));
    const open = el("div");
    const remove = el("button", { class: "step remove", "aria-label": t("speak.remove"), onclick: () => this.forget(shown) }, icon(CROSS));
    const words = along(text, takes, (word, at, target) => this.#pronounce(open, word, at, target, takes, signal), signal);
    const element = el("article", { class: "result", "aria-label": text.slice(0, 80) },
      el("div", { class: "said-text" }, words, remove), open,
      el("div", { class: "takes" }, views.map((view) => view.element)));
    const shown = { id, end, element, takes };
    this.#shown.unshift(shown);
    return shown;
  }

  async #pronounce(place, word, at, target, takes, signal) {
    const { pronounce } = await import("./pronounce.js");
    const take = takes.find(({ sound }) => sound === player.sound) ?? takes[0];
    const spoken = take.words.find((each) => each.at + each.length > at);
    const onPlay = take.sound && spoken && (() => {
      player.seek(take.sound, spoken.start);
      if (!player.playing || player.sound !== take.sound) player.play(take.sound);
    });
    const panel = pronounce({ word, voice: take, lexicon: this.lexicon, onPlay, onClose: () => target.focus(), signal });
    place.replaceChildren(panel.element);
    panel.focus();
  }

  async #restore() {
    for (const { id, text, takes: kept } of await savedResults()) {
      const takes = kept.map((each) => Object.assign(new Take(each), ["waiting", "speaking"].includes(each.state) && { state: "stopped", status: t("speak.stopped") }));
      const newer = this.#shown.filter((shown) => shown.id > id);
      const { element, end } = this.#show(id, text, takes);
      const keeping = new Keeping(id, text, takes, end.signal);
      this.#shown.sort((one, other) => other.id - one.id);
      if (newer.length) newer.at(-1).element.after(element); // somebody was faster
      else this.#list.prepend(element);
      // Its sound is read when it comes into view.
      const seen = new IntersectionObserver(([{ isIntersecting }]) => {
        if (!isIntersecting) return;
        seen.disconnect();
        takes.forEach((take, at) => restoreSound(take, id, at, keeping));
      });
      seen.observe(element);
    }
  }

  #showEmpty() {
    this.#list.replaceChildren(
      el("div", { class: "empty" },
        el("div", { class: "dots", "aria-hidden": "true" }),
        el("p", {}, t("speak.nothing_yet"))));
  }

  /** Remove a result, for good. */
  forget(shown) {
    if (!this.#shown.includes(shown)) return;
    this.onForget(shown.takes);
    if (shown.element.querySelector(".playing")) player.pause();
    shown.element.remove();
    shown.end.abort();
    this.#shown.splice(this.#shown.indexOf(shown), 1);
    forget(shown.id).catch((problem) => console.warn(problem));
    if (!this.#shown.length) this.#showEmpty();
  }
}

async function restoreSound(take, id, at, keeping) {
  const pieces = await savedPieces(id, at);
  if (!pieces.length || take.sound) return;
  const sound = new Sound(take.rateHz);
  for (const { samples } of pieces) sound.append(samples);
  const words = pieces.flatMap((piece) => piece.words);
  keeping.resume(at, sound.length, words.length, pieces.length);
  sound.end();
  take.restored(sound, words);
}
