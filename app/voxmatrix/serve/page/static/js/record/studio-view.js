// What is seen of the studio.

import { back, el, level, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { clock, language } from "../words.js";
import { amount } from "./amount.js";
import { Devices } from "./devices.js";
import { Sentences } from "./sentences.js";
import { Stage } from "./stage.js";

export class StudioView {
  #title = el("h1", { tabindex: "-1" });
  #facts = el("p", { class: "note number" });
  #done = el("span", { class: "bar" });
  #amount = el("div");

  constructor(place, act, microphone, signal) {
    this.place = place;
    this.stage = new Stage(act, signal);
    this.devices = new Devices(microphone);
    this.sentences = new Sentences((number) => {
      act.go(number);
      this.stage.focus();
    });
    place.replaceChildren(el("div", { class: "bone tall" }), el("div", { class: "bone" }));
  }

  fail(message) {
    this.place.replaceChildren(trouble(message), toLists());
  }

  showList(list, prompts) {
    this.sentences.show(prompts);
    this.#showFacts(list);
    if (this.#title.isConnected) return;
    const card = el("div", { class: "studio" }, el("div", { class: "desk" }, this.stage.element, this.devices.element), this.sentences.element);
    // A key that follows a click is one of the studio's, not a second click.
    card.addEventListener("click", (event) => event.detail && event.target.closest("button") && /** @type {HTMLElement} */ (document.activeElement).blur());
    this.place.replaceChildren(
      toLists(),
      el("div", { class: "heading studio-heading" }, this.#title, this.#facts),
      el("div", { class: "track done", "aria-hidden": "true" }, this.#done),
      card, this.#amount);
    this.#title.focus({ preventScroll: true });
  }

  showChange(list, prompt, at) {
    this.sentences.update(prompt);
    this.sentences.mark(at);
    this.#showFacts(list);
  }

  mark(number) {
    this.sentences.mark(number);
  }

  say(words) {
    this.stage.say(words);
  }

  update({ prompt, list, mode, sound, problem }) {
    this.stage.update({ prompt, list, mode, sound, problem });
    this.devices.update(mode);
  }

  hear(mode) {
    this.devices.hear(mode);
    this.stage.tick();
  }

  #showFacts(list) {
    const { profile, name, recorded, prompts, seconds } = list;
    this.#title.replaceChildren(name, el("span", { class: "note" }, ` ${profile} · ${language(list.language)}`));
    this.#facts.textContent = t("record.recorded_of", { recorded, prompts, time: clock(seconds, 0) });
    level(this.#done, recorded / prompts);
    this.#amount.replaceChildren(amount(list));
  }
}

const toLists = () => back("#/record", t("record.all"));
