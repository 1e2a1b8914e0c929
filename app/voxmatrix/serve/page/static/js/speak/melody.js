// The melody of a take: the pitch of the sentence that is being heard, and its words and phonemes at their times.

import { read } from "../api.js";
import { el, note, svg } from "../dom.js";
import { t } from "../i18n.js";
import { pitchOf } from "../sound/pitch.js";
import { player } from "../sound/player.js";

const SECOND = 280; // pixels: a short word has room
const HEIGHT = 150;
const [TOP, BOTTOM] = [14, 100]; // of the curve
const [WORDS, PHONEMES] = [122, 142];
const ENDS = /[.!?…]["'”’»)]*$/;

/** What is shown below the waveform of a take; `signal` ends its life. */
export function melody(take, signal) {
  const drawing = svg("svg", { "aria-hidden": "true", height: HEIGHT });
  const said = note();
  const element = el("div", { class: "melody" }, el("div", { class: "melody-scroll", tabindex: "0", role: "group", "aria-label": t("speak.melody") }, drawing), said);
  const known = new Map(); // phonemes by sentence
  let shown = null;

  const phonemesOf = (text) => {
    if (!known.has(text)) known.set(text, read("dev/phonemize", { body: { text, voice: take.voice }, signal }).then(({ phonemes }) => phonemes, () => ""));
    return known.get(text);
  };

  async function show() {
    const sentence = sentenceAt(take, player.position(take.sound));
    if (!sentence) return;
    if (sentence.text !== shown?.text || sentence.start !== shown.start) {
      shown = sentence;
      const phonemes = await phonemesOf(sentence.text);
      if (shown !== sentence || signal.aborted) return;
      draw(sentence, phonemes);
    }
    const x = SECOND * (player.position(take.sound) - sentence.start);
    drawing.querySelector(".now")?.setAttribute("transform", `translate(${Math.max(0, x).toFixed(1)})`);
  }

  function draw({ start, end, words, text }, phonemes) {
    const pitch = pitchOf(take.sound, start, end);
    const voiced = pitch.map(({ hz }) => hz).filter(Boolean);
    const [low, high] = [Math.min(...voiced), Math.max(...voiced)];
    const x = (time) => (SECOND * (time - start)).toFixed(1);
    const y = (hz) => (BOTTOM - ((BOTTOM - TOP) * Math.log(hz / low)) / (Math.log(high / low) || 1)).toFixed(1);
    drawing.setAttribute("width", String(Math.ceil(SECOND * (end - start)) + 2));
    const each = phonemes.split(" ");
    const at = each.length === words.length ? each : [phonemes]; // words may be said as one
    drawing.replaceChildren(
      svg("path", { class: "pitch", d: pitch.map(({ time, hz }, index) => (hz ? `${pitch[index - 1]?.hz ? "L" : "M"}${x(time)} ${y(hz)}` : "")).join("") }),
      ...words.map((word) => svg("text", { x: x(word.start), y: WORDS }, take.text.slice(word.at, word.at + word.length))),
      ...at.map((said, index) => svg("text", { x: x(words[index].start), y: PHONEMES, class: "phonemes" }, said)),
      svg("line", { class: "now", y1: 0, y2: HEIGHT }));
    const range = voiced.length ? t("speak.melody_range", { low: Math.round(low), high: Math.round(high) }) : t("speak.melody_none");
    said.textContent = `${text} [${phonemes}] · ${range}`;
  }

  player.addEventListener("tick", show, { signal });
  player.addEventListener("change", show, { signal });
  take.addEventListener("change", show, { signal });
  show();
  return element;
}

/** The sentence that is said at a time, or the last one before: its words, text and times. */
function sentenceAt({ words, text }, time) {
  const sentences = [[]];
  for (const word of words) {
    sentences.at(-1).push(word);
    if (ENDS.test(text.slice(word.at, word.at + word.length))) sentences.push([]);
  }
  const found = sentences.filter((each) => each.length);
  const spoken = found.findLast(([first]) => first.start <= time) ?? found[0];
  if (!spoken) return null;
  const [first, last] = [spoken[0], spoken.at(-1)];
  return { words: spoken, start: first.start, end: last.end, text: text.slice(first.at, last.at + last.length) };
}
