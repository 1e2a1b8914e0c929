// The form for a new list.

import { el, field, fileInput, note, onDo, source, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { CHARACTERS_PER_SECOND, language, ownLanguage } from "../words.js";
import { addressOf, createList } from "./api.js";

const LANGUAGES = "en-US en-GB sv-SE da nb fi is de nl fr es es-419 it pt-BR pt ca pl cs sk hu ro el tr ru uk ar hi id vi cmn ja ko".split(" ");
const MOST_FILE_BYTES = 2_000_000;

/** `cancel` is called to go back; without it there is nothing to go back to. */
export function newList({ bundled, lists }, cancel) {
  const profile = el("input", { name: "profile", required: true, maxlength: 60, autocomplete: "off", list: "profiles", placeholder: t("record.name") });
  const name = el("input", { name: "name", required: true, maxlength: 60, autocomplete: "off" });
  const own = ownSentences();
  const choices = [...bundled.map((each) => ({ ...each, facts: `${t("count.sentences", { count: each.prompts })} · ${language(each.language)}` })),
    { id: "", title: t("record.name_own"), facts: t("record.own_facts") }];
  const problem = trouble();

  const chosen = () => choices.find(({ id }) => id === form.elements.source.value);
  function choose() {
    own.element.hidden = chosen().id !== "";
    if (!name.dataset.own) name.value = chosen().id ? chosen().title : "";
  }
  async function create() {
    const { id } = chosen();
    const content = id ? { bundled: id, language: chosen().language } : { prompts: own.prompts(), language: own.language() };
    const { list } = await createList({ profile: profile.value, name: name.value, ...content });
    location.hash = addressOf(list);
  }
  name.addEventListener("input", () => (name.dataset.own = name.value));
  const radios = choices.map(({ id, title, facts }) => source(id, choose, title, facts));
  const known = [...new Set(lists.map((list) => list.profile))].map((value) => el("option", { value }));
  const form = el("form", { class: "new-list", onsubmit: onDo(problem, create) },
    el("h1", {}, t("record.heading")),
    note(t("record.about")),
    field(t("record.whose"), profile), el("datalist", { id: "profiles" }, known),
    el("fieldset", {}, el("legend", {}, t("record.what")), radios),
    own.element, field(t("record.list_name"), name), problem,
    el("div", { class: "form-actions" }, el("button", { class: "primary", type: "submit" }, t("record.create")), cancel && el("button", { class: "quiet", type: "button", onclick: cancel }, t("record.cancel"))));
  const first = ownLanguage(bundled.map((each) => each.language));
  radios[Math.max(0, bundled.findIndex((each) => each.language === first))].querySelector("input").checked = true;
  choose();
  return form;
}

export const languageSelect = () =>
  Object.assign(el("select", { name: "language" }, LANGUAGES.map((code) => el("option", { value: code }, language(code)))), { value: ownLanguage(LANGUAGES) });

function ownSentences() {
  const text = el("textarea", { name: "sentences", rows: 8, spellcheck: "true", placeholder: t("record.one_per_line") });
  const select = languageSelect();
  const amount = el("span", { class: "note number" }, "");
  const prompts = () => text.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const measure = () => {
    const minutes = prompts().join("").length / CHARACTERS_PER_SECOND / 60;
    amount.textContent = prompts().length ? t("record.about_minutes", { count: prompts().length, minutes: Math.max(1, Math.round(minutes)) }) : "";
  };
  const file = fileInput(".txt,text/plain", async ([chosen]) => {
    if (chosen.size > MOST_FILE_BYTES) return (amount.textContent = t("record.too_large"));
    text.value = await chosen.text();
    measure();
  });
  text.addEventListener("input", measure);
  const element = el("div", { class: "own" },
    field(t("record.language"), select),
    field(t("record.sentences"), text),
    el("div", { class: "under" }, el("button", { class: "link", onclick: () => file.click() }, t("record.choose_text")), amount, file));
  return { element, prompts, language: () => select.value };
}
