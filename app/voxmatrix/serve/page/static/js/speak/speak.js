// The tab Speak: from the text to the takes.

import { onBack } from "../connection.js";
import { byId, el } from "../dom.js";
import { t } from "../i18n.js";
import { Lexicon } from "../lexicon.js";
import { player } from "../sound/player.js";
import { shortened } from "../words.js";
import { SpeakCast } from "./cast.js";
import { Hearing } from "./hearing.js";
import { Results } from "./results.js";
import { Take } from "./take.js";
import { Voices } from "./voices.js";

const DRAFT = "voxmatrix-text";
const isApple = /Mac|iP(hone|ad)/.test(navigator.platform);

/** `settings` is the promise of the page's settings. Returns what to call when the tab is shown, at #/speak/VOICE. */
export function startSpeak(settings) {
  const text = byId("text");
  const voices = new Voices();
  const results = new Results();
  const hearing = new Hearing(new AbortController().signal);
  const lexicon = new Lexicon({}, (word, said) => word && voices.chosen.length && hearing.hear({ ...voices.chosen[0], label: t("lexicon.word", { word }), text: said }));
  voices.after(el("details", { class: "knobs" }, el("summary", {}, t("lexicon.title")), lexicon.element, hearing.element));
  const cast = new SpeakCast(text, (what) => hearing.hear(what));
  let running = null; // aborts what is being spoken
  let limit = Infinity;

  /** A text that is too long to wait for becomes files. */
  async function makeFiles(said, chosen) {
    const title = shortened(said, 60);
    const format = { aac: "m4a", pcm: "wav" }[byId("format").value] ?? byId("format").value;
    try {
      const [{ createJob }, { upload }] = await Promise.all([import("../jobs/api.js"), import("../jobs/upload.js")]); // rarely needed
      for (const { voice, speed, knobs, sentence_pause, volume } of chosen) {
        const { id } = await upload(new File([said], "text.txt"));
        await createJob({ kind: "speech", file: id, title, voice, speed, knobs, sentence_pause, volume, lexicon: lexicon.entries, cast: cast.voices, format });
      }
      location.hash = "#/jobs";
    } catch (error) {
      problem(error.message);
    }
  }

  async function speak() {
    const said = text.value.trim();
    const refusal = !said ? t("speak.write_first") : !voices.chosen.length ? t("speak.no_voice") : "";
    problem(refusal);
    if (refusal) return text.focus();
    const { chosen } = voices;
    if (isLong()) return makeFiles(said, chosen);
    const takes = chosen.map((voice) => new Take({ ...voice, text: said, lexicon: lexicon.entries, cast: cast.voices }));
    running = new AbortController();
    // Now, while this is a click: later the browser would not allow sound.
    chosen.forEach((voice) => player.prepare(voice.rateHz));
    player.pause();
    results.add(said, takes);
    showRunning();
    await inTurn(takes, running.signal);
    running = null;
    showRunning();
    report(takes);
  }

  /** The first take is heard as it comes; the others are made after it. */
  async function inTurn(takes, signal) {
    player.hear(takes[0]);
    for (const take of takes) {
      if (signal.aborted) take.skip();
      else await take.compute(signal);
    }
  }

  function report(takes) {
    const failed = takes.find((take) => take.state === "failed");
    if (failed) problem(failed.status);
    if (!takes.some((take) => take.sound)) results.withdraw();
    byId("said").textContent = takes.every((take) => take.state === "done") ? t("speak.complete") : "";
  }

  function stop() {
    running?.abort();
    player.pause();
  }

  function showRunning() {
    const button = byId("speak");
    button.classList.toggle("stop", running !== null);
    button.querySelector("span").textContent = t(running ? "speak.stop" : isLong() ? "speak.make_file" : "speak.title");
    button.querySelector("kbd").textContent = running ? "esc" : isApple ? "⌘ ↵" : "ctrl ↵";
  }

  function problem(message) {
    byId("problem").textContent = message;
  }

  const length = () => [...text.value].length; // as the server counts: not in UTF-16
  const isLong = () => length() > limit;

  function count() {
    if (text.value.length < 1e6) sessionStorage.setItem(DRAFT, text.value);
    byId("count").textContent = Number.isFinite(limit) ? t(isLong() ? "speak.count_long" : "speak.count", { length: length(), limit }) : "";
    byId("example").classList.toggle("away", text.value !== "");
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
    text.value = t("speak.example_text");
    text.focus();
    count();
  });

  async function load() {
    const known = await settings;
    limit = known.max_input;
    byId("format").replaceChildren(...known.formats.map((name) => el("option", {}, name)));
    byId("format").value = "wav";
    byId("format").dispatchEvent(new Event("change"));
    count();
  }

  onBack(() => voices.load());
  text.value = sessionStorage.getItem(DRAFT) ?? t("speak.example_text");
  count();
  load();
  return ([voice]) => (voice ? voices.choose(voice) : voices.load());
}
