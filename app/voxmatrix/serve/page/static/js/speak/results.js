// What was spoken, the newest first and large.

import { byId, el } from "../dom.js";
import { t } from "../i18n.js";
import { player } from "../sound/player.js";
import { takeView } from "./take-view.js";

const MOST = 12;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Results {
  #list = byId("results");
  #ends = []; // one AbortController per result, newest first

  constructor() {
    this.#showEmpty();
  }

  /** Show takes of the same text. */
  add(text, takes) {
    if (!this.#ends.length) this.#list.replaceChildren();
    const end = new AbortController();
    const span = () => Math.max(...takes.map((take) => take.span));
    const views = takes.map((take) => takeView(take, span, end.signal));
    // They share one scale: when one gets longer, all are drawn again.
    for (const take of takes) take.addEventListener("change", () => views.forEach((view) => view.refresh()));
    const result = el("article", { class: "result", "aria-label": text.slice(0, 80) },
      el("p", { class: "text", title: text }, text),
      el("div", { class: "takes" }, views.map((view) => view.element)));
    this.#list.prepend(result);
    this.#ends.unshift(end);
    if (this.#ends.length > MOST) this.#forget();
    result.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
  }

  /** Take the newest result back: nothing came of it. */
  withdraw() {
    this.#list.firstElementChild.remove();
    this.#ends.shift().abort();
    if (!this.#ends.length) this.#showEmpty();
  }

  #showEmpty() {
    this.#list.replaceChildren(
      el("div", { class: "empty" },
        el("div", { class: "dots", "aria-hidden": "true" }),
        el("p", {}, t("speak.nothing_yet"))));
  }

  #forget() {
    const oldest = this.#list.lastElementChild;
    if (oldest.querySelector(".playing")) player.pause();
    oldest.remove();
    this.#ends.pop().abort();
  }
}
