// How a word is pronounced: its phonemes seen and heard, corrected, and kept in the lexicon.

import { read } from "../api.js";
import { el, field, note, quiet, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { Hearing } from "./hearing.js";

const ASK_MS = 400;
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

/** Small letters stand for every case; so does a word at the beginning of a sentence. */
const keyOf = (word) => (/^\p{Lu}?[^\p{Lu}]*$/u.test(word) ? word.toLowerCase() : word);

/**
 * `voice` is what speaks (as of a take), `lexicon` the one that keeps it; `onClose` is called when it was closed, and
 * `onPlay` lets the text be heard from this word on.
 */
export function pronounce({ word, voice, lexicon, onClose, onPlay, signal }) {
  const said = keyOf(word.replace(EDGES, "") || word);
  const end = new AbortController();
  signal.addEventListener("abort", () => end.abort());
  const hearing = new Hearing(end.signal);
  const problem = trouble();
  const shown = el("output", { class: "phonemes" });
  const spelt = el("input", { autocomplete: "off", spellcheck: "false", maxlength: 1000, oninput: () => change(spelt) });
  const phonemes = el("input", { autocomplete: "off", spellcheck: "false", maxlength: 900, oninput: () => change(phonemes), class: "phonemes" });
  let timer = 0;
  let changed = null; // the input that was written into

  const kept = () => lexicon.entries[said];
  const text = () => {
    const value = changed?.value.trim();
    if (!value) return kept() ?? said;
    return changed === phonemes ? `[[${value}]]` : value;
  };
  async function show() {
    problem.textContent = "";
    try {
      const { phonemes: found } = await read("dev/phonemize", { body: { text: text(), voice: voice.voice }, signal: end.signal });
      shown.textContent = found || "–";
      if (changed !== phonemes) phonemes.value = found;
    } catch (error) {
      if (error.name !== "AbortError") problem.textContent = error.message;
    }
  }
  function change(input) {
    changed = input;
    clearTimeout(timer);
    timer = setTimeout(show, ASK_MS);
  }
  function close() {
    clearTimeout(timer);
    end.abort();
    element.remove();
    onClose();
  }
  function keep(event) {
    event.preventDefault();
    if (changed?.value.trim()) lexicon.set(said, text());
    close();
  }
  function hear() {
    const { voice: name, rateHz, speed, knobs, volume } = voice;
    hearing.hear({ voice: name, rateHz, speed, knobs, volume, label: t("lexicon.word", { word: said }), text: text() });
  }

  const element = el("form", { class: "pronounce", "aria-label": t("pronounce.title", { word: said }), onsubmit: keep, onkeydown: (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  } },
    el("h2", {}, said, " ", shown),
    field(t("pronounce.spelt"), spelt),
    field(t("pronounce.phonemes"), phonemes),
    note(t("pronounce.about")),
    el("div", { class: "form-actions" },
      quiet(t("lexicon.hear"), hear), onPlay && quiet(t("pronounce.from_here"), onPlay),
      el("button", { class: "primary", type: "submit" }, t("pronounce.keep")), quiet(t("pronounce.close"), close)),
    problem, hearing.element);
  spelt.value = kept()?.startsWith("[[") ? "" : (kept() ?? "");
  show();
  return { element, focus: () => spelt.focus() };
}
