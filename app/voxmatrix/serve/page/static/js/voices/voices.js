// The tab Voices: those of this server, those of the library, engines, and how programs connect.

import { read } from "../api.js";
import { onBack } from "../connection.js";
import { byId, el, note, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { language } from "../words.js";
import { Adding } from "./adding.js";
import { installedCard } from "./card.js";
import { Cloning } from "./clone.js";
import { startConnect } from "./connect.js";
import { engineCards } from "./engines.js";
import { Library } from "./library.js";

const CLONE = "#/voices/clone";

/** `settings` is the promise of the page's settings. */
export function startVoices(settings) {
  const search = el("input", { type: "search", placeholder: t("voices.search"), "aria-label": t("voices.search_label"), autocomplete: "off", spellcheck: "false", oninput: show });
  const tongue = el("select", { "aria-label": t("voices.language"), onchange: show });
  const place = byId("voices-panel");
  const list = el("div");
  const adding = new Adding(list, load);
  const here = el("div");
  const library = new Library(load, () => adding.choose());
  const engines = el("section", { "aria-label": t("voices.engines") });
  let cloning = null;
  let found = { voices: [] };
  let end = new AbortController();

  /** Read the voices again. */
  async function load() {
    try {
      found = await read("v1/voices");
      show();
    } catch (problem) {
      here.replaceChildren(trouble(problem.message));
    }
    showEngines();
    if (!library.complete) library.load().then(showLibrary); // the cards above stay: one may be speaking
  }

  function show() {
    end.abort();
    end = new AbortController();
    const voices = found.voices.filter(matches);
    const cards = voices.map((voice) =>
      installedCard(voice, { isDefault: voice.id === found.default, isFixed: found.default_is_fixed, changed: load, signal: end.signal }));
    here.replaceChildren(
      el("h2", { class: "shelf-heading" }, t("voices.here"), " ", el("span", { class: "number note" }, t("count.voices", { count: voices.length }))),
      cards.length ? el("ul", { class: "voice-cards" }, cards) : note(t("voices.none")));
    showLibrary();
  }

  async function showEngines() {
    const known = await read("v1/engines").catch(() => null);
    if (known) engines.replaceChildren(el("h2", { class: "shelf-heading" }, t("voices.engines")), ...engineCards(known.engines));
  }

  closeMenus(place);

  function view([name]) {
    leave();
    if (name === "clone") cloning = new Cloning();
    else load();
    place.replaceChildren(cloning?.element ?? list);
  }

  function leave() {
    cloning?.leave();
    cloning = null;
  }

  function showLibrary() {
    offerLanguages();
    library.show(matches, new Set(found.voices.map(({ id }) => id)));
  }

  function matches(voice) {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const about = [voice.id, voice.title, language(voice.language), voice.quality, voice.gender, voice.family].join(" ").toLowerCase();
    return (!tongue.value || voice.language === tongue.value) && words.every((word) => about.includes(word));
  }

  function offerLanguages() {
    const codes = [...new Set([...found.voices, ...library.voices].map((voice) => voice.language))].filter(Boolean);
    const named = codes.map((code) => [language(code), code]).sort(([a], [b]) => a.localeCompare(b));
    const before = tongue.value;
    tongue.replaceChildren(el("option", { value: "" }, t("voices.any_language")), ...named.map(([name, code]) => el("option", { value: code }, name)));
    tongue.value = codes.includes(before) ? before : "";
  }

  list.append(
    el("div", { class: "heading" }, el("h1", {}, t("tab.voices")), el("div", { class: "form-actions" }, el("a", { class: "quiet", href: CLONE }, t("voices.clone")), adding.button)),
    adding.element,
    el("div", { class: "voice-filter" }, search, tongue),
    here, library.element, engines, startConnect(settings));
  window.addEventListener("hashchange", () => location.hash.startsWith(CLONE) || leave());
  onBack(() => place.hidden || load());
  return view;
}

/** A menu in `place` closes by Escape, which gives the focus back, and when something else is clicked or has the focus. */
function closeMenus(place) {
  const open = () => place.querySelector(".voice-menu[open]");
  const close = () => open().removeAttribute("open");
  // By the path: what was clicked may be gone by now.
  for (const name of ["click", "focusin"]) document.addEventListener(name, (event) => open() && !event.composedPath().includes(open()) && close());
  place.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !open()) return;
    event.stopPropagation(); // what is being heard goes on
    open().querySelector("summary").focus();
    close();
  });
}
