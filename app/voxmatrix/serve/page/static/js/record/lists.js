// All lists of prompts, and the form for a new one.

import { el, filled, note, trouble } from "../dom.js";
import { parts, t } from "../i18n.js";
import { clock, language } from "../words.js";
import { addressOf, readLists } from "./api.js";
import { newList } from "./new-list.js";

export class Lists {
  #shown = "";
  #isNew = false; // whether the form is shown
  #left = false;

  constructor(place) {
    this.place = place;
    place.replaceChildren(el("div", { class: "bone tall" }));
  }

  async load() {
    let all = null;
    try {
      all = await readLists();
    } catch (problem) {
      if (!this.#left && !this.#shown) this.place.replaceChildren(trouble(problem.message));
      return;
    }
    // What a person is writing is not taken away.
    if (this.#left || this.#isNew || this.#shown === JSON.stringify(all)) return;
    this.#shown = JSON.stringify(all);
    if (all.lists.length) this.#showAll(all);
    else this.#showForm(all);
  }

  leave() {
    this.#left = true;
  }

  #showAll(all) {
    this.#isNew = false;
    this.place.replaceChildren(
      el("div", { class: "heading" }, el("h1", {}, t("record.title")),
        el("button", { class: "primary", onclick: () => this.#showForm(all) }, t("record.new"))),
      el("ul", { class: "lists" }, all.lists.map(card)),
      el("p", { class: "note where-kept" }, parts("record.kept_in", { folder: el("code", {}, all.folder) })));
  }

  #showForm(all) {
    this.#isNew = all.lists.length > 0;
    const cancel = all.lists.length > 0 && (() => this.#showAll(all));
    this.place.replaceChildren(newList(all, cancel));
    this.place.querySelector("input").focus();
  }
}

function card(list) {
  const { profile, name, prompts, recorded, skipped, seconds } = list;
  const count = el("strong", {}, t("record.list_count", { recorded, prompts }));
  return el("li", {}, el("a", { class: "list", href: addressOf(list) },
    el("h2", {}, name),
    note(`${profile} · ${language(list.language)}`),
    filled(recorded / prompts),
    el("p", { class: "number" }, parts(skipped ? "record.list_rest_skipped" : "record.list_rest", { count, skipped, time: clock(seconds, 0) }))));
}
