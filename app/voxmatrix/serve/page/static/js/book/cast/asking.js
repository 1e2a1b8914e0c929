// Asks who says a speech, and lets it be heard.

import { el, field, icon, note, onDo, quiet, trouble } from "../../dom.js";
import { t } from "../../i18n.js";
import { PLAY } from "../../icons.js";
import { shortened } from "../../words.js";
import { voiceSelect } from "../voice-choice.js";
import { changeName, changeSpeech } from "./api.js";
import { described, NARRATOR, nameOf } from "./person.js";

const LONGEST = 400; // characters of a speech that are shown and heard
const NEW = "\0"; // somebody who is not in the list

export function asking(view, cast, piece, chapter, hearing) {
  const { text, speech, who, sure, voice, corrected } = piece;
  const said = shortened(text, LONGEST);
  const problem = trouble();
  const people = [...new Set([who, ...cast.people.map(({ name }) => name), NARRATOR])].filter(Boolean);
  const choice = el("select", { onchange: update }, people.map((name) => el("option", { value: name }, nameOf(name))), el("option", { value: NEW }, t("cast.somebody_else")));
  choice.value = who || (people[0] ?? NEW);
  const name = el("input", { maxlength: 100, autocomplete: "off" });
  const named = field(t("cast.name"), name);
  const all = el("input", { type: "checkbox" });
  const count = cast.people.find((person) => person.name === who)?.speeches ?? 0;
  const forAll = el("label", { class: "box" }, all, el("span", {}, t("cast.for_all", { who: nameOf(who) }), el("small", {}, t("count.speeches", { count }))));
  const voices = voiceSelect(view.voices, cast.language, view.spoken(voice), {}, "");
  const hear = el("button", { class: "step", "aria-label": t("cast.hear"), onclick: () => view.hear(nameOf(chosen() || who), said, voices.value) }, icon(PLAY));
  const dialog = el("dialog", { class: "asking", "aria-label": t("cast.who"), onclose },
    el("form", { onsubmit: onDo(problem, save) },
      el("h2", {}, t("cast.who")), el("blockquote", {}, said), note(described(who, sure)),
      field(t("cast.person"), choice), named, forAll,
      el("div", { class: "cast-voice" }, field(t("cast.try_voice"), voices), hear), hearing.element,
      problem,
      el("div", { class: "asking-actions" }, corrected && quiet(t("cast.forget"), onDo(problem, () => decide(changeSpeech(cast.id, chapter, speech, "")))),
        quiet(t("cast.cancel"), () => dialog.close()), el("button", { class: "primary", type: "submit" }, t("cast.save")))));

  const chosen = () => (choice.value === NEW ? name.value.trim().replace(/\s+/g, " ") : choice.value);
  function update() {
    named.hidden = choice.value !== NEW;
    name.required = !named.hidden;
    forAll.hidden = count < 2 || who === NARRATOR || choice.value === who;
    if (!named.hidden) name.focus();
  }
  async function decide(change) {
    await view.changed(change);
    dialog.close();
  }
  async function save() {
    const whole = all.checked && !forAll.hidden;
    await decide(whole ? changeName(cast.id, who, chosen()) : changeSpeech(cast.id, chapter, speech, chosen()));
  }
  function onclose() {
    hearing.stop();
    hearing.element.hidden = true;
    view.heard.append(hearing.element);
    dialog.remove();
    view.chapter.focus();
  }

  view.place.append(dialog);
  update();
  hearing.stop();
  hearing.element.hidden = true;
  dialog.showModal();
}
