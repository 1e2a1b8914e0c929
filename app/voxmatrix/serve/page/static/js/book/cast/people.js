// The people of a book: their names, how much they say, and a voice for each.

import { el, field, icon, note, quiet } from "../../dom.js";
import { listed, t } from "../../i18n.js";
import { PLAY } from "../../icons.js";
import { joined } from "../../words.js";
import { voiceOf, voiceSelect } from "../voice-choice.js";
import { changeName, changePerson, changeVoices } from "./api.js";
import { colour, nameOf } from "./person.js";

const FIRST = 12; // people who are shown at once
const OTHERS = { dialogue_female: t("cast.women"), dialogue_male: t("cast.men"), dialogue: t("cast.others") };
const SEXES = { "": t("cast.sex_unknown"), f: t("cast.female"), m: t("cast.male") };
const UNSURE = { narrator: t("cast.unsure_narrator"), dialogue: t("cast.unsure_dialogue"), guess: t("cast.unsure_guess") };

const options = (choices) => Object.entries(choices).map(([value, words]) => el("option", { value }, words));

export class People {
  #cast;
  #open = new Set(); // names
  #all = false;
  #list = el("div");
  element = el("section", { class: "cast-people", "aria-label": t("cast.people") }, el("h2", {}, t("cast.people")), this.#list);

  constructor(view, cast) {
    this.view = view;
    this.#cast = cast;
  }

  show(cast) {
    this.#cast = cast;
    const focused = document.activeElement?.getAttribute("data-key");
    const shown = this.#all ? cast.people : cast.people.slice(0, FIRST);
    const more = cast.people.length - shown.length;
    this.#list.replaceChildren(...shown.map((person) => this.#person(person)),
      more > 0 ? quiet(t("count.more_people", { count: more }), () => { this.#all = true; this.show(this.#cast); }) : "",
      this.#folded("", [el("strong", {}, t("cast.everyone"))], () => this.#everyone()));
    if (focused && !document.activeElement?.closest("dialog")) /** @type {HTMLElement} */ (this.#list.querySelector(`[data-key="${CSS.escape(focused)}"]`))?.focus();
  }

  /** A part that is folded, and made when it is opened. */
  #folded(name, summary, body) {
    const details = el("details", { class: "person", open: this.#open.has(name) }, el("summary", { "data-key": name }, summary));
    const fill = () => details.open && details.children.length === 1 && details.append(el("div", { class: "person-body" }, body()));
    details.addEventListener("toggle", () => {
      this.#open[details.open ? "add" : "delete"](name);
      fill();
    });
    fill();
    return details;
  }

  #person(person) {
    const { name, speeches, sure, voice } = person;
    const missing = voice && !voiceOf(this.view.voices, voice);
    const facts = joined(t("count.speeches", { count: speeches }), sure < speeches && t("count.unsure", { count: speeches - sure }));
    return this.#folded(name, [
      colour(el("span", { class: "dot", "aria-hidden": "true" }, nameOf(name).charAt(0).toUpperCase()), this.#cast, name),
      el("span", {}, el("strong", {}, nameOf(name)), el("small", { class: "number" }, facts)),
      el("small", { class: missing ? "problem voice-name" : "voice-name" }, missing ? t("cast.missing", { voice }) : voice),
    ], () => this.#about(person));
  }

  #about(person) {
    const { name, also, merged, sex, voice, sample } = person;
    const { id } = this.#cast;
    const key = (what) => ({ "data-key": `${name}/${what}` });
    const change = (values) => this.view.decide(changePerson(id, { name, ...values }));
    const sexes = el("select", { ...key("sex"), onchange: () => change({ sex: sexes.value }) }, options(SEXES));
    sexes.value = sex;
    const same = el("select", { ...key("same"), onchange: () => this.view.decide(changeName(id, name, same.value)) }, el("option", { value: "" }, "–"),
      this.#cast.people.filter((other) => other.name !== name).map((other) => el("option", { value: other.name }, nameOf(other.name))));
    return [
      also.length > 0 && note(t("cast.also", { names: listed(also) })),
      ...merged.map((one) => el("button", { class: "link", onclick: () => this.view.decide(changeName(id, one)) }, t("cast.separate", { name: one }))),
      this.#voice(key("voice"), t("cast.voice"), voice, (chosen) => change({ voice: chosen }), nameOf(name), sample),
      field(t("cast.sex"), sexes),
      field(t("cast.same"), same),
    ];
  }

  #voice(props, title, voice, onChoose, label, sample) {
    const select = voiceSelect(this.view.voices, this.#cast.language, voice, { ...props, onchange: () => onChoose(select.value) }, t("cast.no_voice"));
    const hear = sample && el("button", { class: "step", "aria-label": t("play.hear", { what: label }), onclick: () => this.view.hear(label, sample, this.view.spoken(select.value)) }, icon(PLAY));
    return el("div", { class: "cast-voice" }, field(title, select), hear);
  }

  #everyone() {
    const { id, unsure } = this.#cast;
    const decide = (change) => this.view.decide(changeVoices(id, change));
    const select = el("select", { "data-key": "unsure", onchange: () => decide({ unsure: select.value }) }, options(UNSURE));
    select.value = unsure;
    return [
      ...Object.entries(OTHERS).map(([key, words]) => this.#voice({ "data-key": key }, words, this.#cast[key], (voice) => decide({ [key]: voice }), words, "")),
      field(t("cast.if_unsure"), select),
    ];
  }
}
