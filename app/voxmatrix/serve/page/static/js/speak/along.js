// The text of a result: its words light up while they are spoken, and each can be clicked.

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { player } from "../sound/player.js";
import { wordAt } from "./spoken.js";

/** Words that are shown at once. */
const MOST = 400;
/** What is drawn now is seen so much later. */
const FRAME_SECONDS = 0.016;

/** `onWord` gets a word, where it is in the text, and its element; `signal` ends its life. */
export function along(text, takes, onWord, signal) {
  const tokens = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({ word, at: index }));
  const element = el("div", { class: "text along", role: "listbox", "aria-label": t("speak.words"), onclick: ({ target }) => choose(target), onkeydown: onKey });
  let first = -1; // of the words that are shown
  let lit = null;
  let words = []; // the elements that are shown
  let timer = 0;

  /** Show the words around the one of this number. */
  function show(number) {
    const from = MOST * Math.floor(number / MOST);
    if (from === first) return;
    first = from;
    lit = null;
    const shown = tokens.slice(from, from + MOST);
    element.replaceChildren(...shown.flatMap(({ word, at }, place) => {
      const before = place ? text.slice(shown[place - 1].at + shown[place - 1].word.length, at) : "";
      return [before, el("span", { role: "option", class: "word", tabindex: place ? "-1" : "0" }, word)];
    }));
    words = [...element.querySelectorAll(".word")];
    element.scrollTop = 0;
  }
  function light(number) {
    show(Math.max(0, number));
    const word = number < 0 ? null : words[number - first];
    if (word === lit) return;
    lit?.removeAttribute("aria-current");
    lit = word;
    word?.setAttribute("aria-current", "true");
    if (word && !element.contains(document.activeElement)) element.scrollTop = word.offsetTop - element.offsetTop - element.clientHeight / 3;
  }

  function onTick() {
    const take = takes.find(({ sound }) => sound && sound === player.sound);
    if (!take?.words.length) return;
    const place = player.position(take.sound);
    const number = wordAt(take.words, place + FRAME_SECONDS);
    const [spoken, next] = [take.words[number], take.words[number + 1]];
    // In time also where few frames are drawn.
    clearTimeout(timer);
    if (next && player.playing) timer = setTimeout(onTick, 1000 * (next.start - place - FRAME_SECONDS));
    light(spoken && (player.playing || place > 0) ? tokenAt(spoken.at) : -1);
  }
  /** The word in which this character is. */
  function tokenAt(character) {
    let [low, high] = [0, tokens.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tokens[middle].at <= character) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
  function choose(target) {
    const place = words.indexOf(target);
    if (place < 0) return;
    focus(target);
    onWord(tokens[first + place].word, tokens[first + place].at, target);
  }
  function focus(word) {
    element.querySelector('.word[tabindex="0"]').tabIndex = -1;
    word.tabIndex = 0;
    word.focus();
  }
  function onKey(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const next = words.indexOf(event.target) + (by ?? 0);
    if (!by) choose(event.target);
    else if (words[next]) focus(words[next]);
    else if (by < 0 ? first > 0 : first + MOST < tokens.length) {
      show(by < 0 ? first - 1 : first + MOST);
      focus(words.at(by < 0 ? -1 : 0));
    }
  }

  player.addEventListener("tick", onTick, { signal });
  player.addEventListener("change", onTick, { signal });
  show(0);
  return element;
}
