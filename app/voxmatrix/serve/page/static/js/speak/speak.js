// The tab Speak: from the text to the takes.

import { onBack } from "../connection.js";
import { byId, el, fileInput, onDrop } from "../dom.js";
import { LOCALE, t } from "../i18n.js";
import { keep, kept } from "../kept.js";
import { Lexicon } from "../lexicon.js";
import { player } from "../sound/player.js";
import { exampleOf, isExample } from "../voices/samples.js";
import { duration, joined, CHARACTERS_PER_SECOND } from "../words.js";
import { SpeakCast } from "./cast.js";
import { Hearing } from "./hearing.js";
import { Results } from "./results.js";
import { Take } from "./take.js";
import { Tongue } from "./tongue.js";
import { Voices } from "./voices.js";

const DRAFT = "voxmatrix-text";
const LEXICON = "voxmatrix-lexicon";
/** Characters from which on it is said how long it will be. */
const LONG = 1000;
const READ = ".txt,.md,.epub,.pdf,.html,.htm,.xhtml,.mobi,.azw3,.fb2,.docx,.odt,.rtf";
const isApple = /Mac|iP(hone|ad)/.test(navigator.platform);

/** `settings` is the promise of the page's settings. Returns what to call when the tab is shown, at #/speak/VOICE. */
export function startSpeak(settings) {
  const text = byId("text");
  const voices = new Voices();
  const hearing = new Hearing(new AbortController().signal);
  const lexicon = new Lexicon(kept(LEXICON, {}), (word, said) => word && voices.chosen.length && hearing.hear({ ...voices.chosen[0], label: t("lexicon.word", { word }), text: said }));
  lexicon.addEventListener("change", () => keep(LEXICON, lexicon.entries));
  const tongue = new Tongue(voices, () => text.value, () => byId("composer").requestSubmit());
  text.closest(".sheet").append(tongue.element);
  voices.after(el("details", { class: "knobs" }, el("summary", {}, t("lexicon.title")), lexicon.element, hearing.element));
  const cast = new SpeakCast(text, (what) => hearing.hear(what));
  const results = new Results({ lexicon, goOn: (take) => running || run([take]), onForget: (takes) => takes.includes(speaking[0]) && running?.abort() });
  let running = null; // aborts what is being spoken
  let speaking = []; // takes
  let limit = Infinity;

  async function speak() {
    const said = text.value.trim();
    const refusal = !said ? t("speak.write_first") : !voices.chosen.length ? t("speak.no_voice") : "";
    problem(refusal);
    if (refusal) return text.focus();
    const { chosen } = voices;
    const takes = chosen.map((voice) => new Take({ ...voice, text: said, lexicon: lexicon.entries, cast: cast.voices }));
    const shown = results.add(said, takes);
    await run(takes);
    if (!takes.some((take) => take.sound && !take.isMute)) results.forget(shown); // nothing came of it
  }

  /** Let takes be spoken, to their end. */
  async function run(takes) {
    running = new AbortController();
    speaking = takes;
    takes.forEach((take) => (take.limit = limit));
    // Now, while this is a click: later the browser would not allow sound.
    takes.forEach(({ rateHz }) => player.prepare(rateHz));
    if (!takes[0].sound) player.pause();
    showRunning();
    await inTurn(takes, running.signal);
    running = null;
    showRunning();
    report(takes);
  }

  /** The first take is heard as it comes; the others are made after it. */
  async function inTurn(takes, signal) {
    if (!takes[0].sound) player.hear(takes[0]);
    for (const take of takes) {
      if (signal.aborted) take.skip();
      else await take.compute(signal);
    }
  }

  function report(takes) {
    const failed = takes.find((take) => take.state === "failed");
    const isMute = takes.every((take) => take.isMute);
    if (failed || isMute) problem(failed ? failed.status : t("speak.nothing_to_say"));
    byId("said").textContent = !isMute && takes.every((take) => take.state === "done") ? t("speak.complete") : "";
  }

  function stop() {
    running?.abort();
    player.pause();
  }

  function showRunning() {
    const button = byId("speak");
    button.classList.toggle("stop", running !== null);
    button.querySelector("span").textContent = t(running ? "speak.stop" : "speak.title");
    button.querySelector("kbd").textContent = running ? "esc" : isApple ? "⌘ ↵" : t("speak.key");
  }

  function problem(message) {
    byId("problem").textContent = message;
  }

  function count() {
    if (text.value.length < 1e6) sessionStorage.setItem(DRAFT, text.value);
    const characters = [...text.value].length; // as the server counts: not in UTF-16
    byId("count").textContent = joined(t("count.characters", { count: characters }), characters >= LONG && t("speak.about", { duration: duration(characters / CHARACTERS_PER_SECOND) }));
    byId("example").classList.toggle("away", text.value !== "");
    tongue.look();
    showRunning();
  }

  byId("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    if (running) stop();
    else speak();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") stop();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !running) byId("composer").requestSubmit();
  });
  text.addEventListener("input", () => {
    count();
    problem("");
  });
  byId("example").addEventListener("click", () => {
    text.value = exampleOf(voices.language || LOCALE);
    text.focus();
    count();
  });

  /** A text is shown; a book goes to the tab Book. */
  async function open(file) {
    if (!file) return;
    problem("");
    byId("said").textContent = "";
    const { textOf } = await import("./open.js");
    try {
      const found = await textOf(file, (share) => (byId("count").textContent = t("speak.sending", { name: file.name, share: Math.round(100 * share) })));
      if (found !== null) text.value = found;
      count();
    } catch (error) {
      count();
      problem(error.message);
    }
  }
  const chooser = fileInput(READ, ([file]) => open(file));
  byId("open").before(chooser);
  byId("open").addEventListener("click", () => chooser.click());
  onDrop(byId("composer"), undefined, ([file]) => byId("speak-panel").hidden || open(file));

  async function load() {
    const known = await settings;
    limit = known.max_input;
    byId("format").replaceChildren(...[...known.formats, "srt", "vtt"].map((name) => el("option", {}, name)));
    byId("format").value = "wav";
    byId("format").dispatchEvent(new Event("change"));
    count();
  }

  /** Another voice speaks: an example is in its language. */
  voices.onChange = (isOwn) => {
    if (isOwn && isExample(text.value) && voices.language) {
      text.value = exampleOf(voices.language);
      count();
    }
    tongue.show();
  };

  onBack(() => voices.load());
  text.value = sessionStorage.getItem(DRAFT) ?? exampleOf(LOCALE);
  count();
  load();
  return ([voice]) => (voice ? voices.choose(voice) : voices.load());
}
