// The text of the chapter that is heard: its sentences can be heard and corrected.

import { el, note } from "../dom.js";
import { parts, t } from "../i18n.js";

const MOST = 400; // sentences shown at once

/** `units` are the sentences of the certificate; `address` is that of the changes to the audiobook. */
export function reading(player, units, address) {
  const text = el("div", { class: "reading-text", onkeydown: onKey });
  const wrong = el("a", { class: "link" }, t("book.say_differently"));
  const element = el("section", { class: "reading", "aria-label": t("book.text") }, text,
    note(...parts("book.wrong", { link: wrong })));
  const byChapter = Map.groupBy(units, ({ chapter }) => chapter);
  let shown = ""; // the chapter, and which part of it
  let marked = null;

  function sentencesOf(chapter) {
    const all = byChapter.get(chapter.index) ?? [];
    const begin = all[0]?.start_seconds ?? 0;
    return all.map((unit) => ({ text: unit.text, start: unit.start_seconds - begin, end: unit.start_seconds - begin + unit.samples / unit.rate_hz }));
  }
  /** The pause before a paragraph is longer than that before a sentence. */
  function paragraphsOf(sentences) {
    const pauses = sentences.slice(1).map(({ start }, at) => start - sentences[at].end);
    const usual = Math.min(...pauses);
    const paragraphs = [];
    sentences.forEach(({ text: words, start }, at) => {
      if (!at || pauses[at - 1] > usual + 0.1) paragraphs.push([]);
      paragraphs.at(-1).push(el("span", { role: "button", class: "said", tabindex: "-1", onclick: () => player.seek(start) }, words));
    });
    return paragraphs.map((said) => el("p", {}, said.flatMap((each) => [each, " "])));
  }
  function update() {
    const { chapter } = player;
    if (!chapter) return;
    const sentences = sentencesOf(chapter);
    const now = Math.max(0, sentences.findLastIndex(({ start }) => start <= player.place + 0.05));
    const first = MOST * Math.floor(now / MOST);
    if (shown !== `${chapter.index} ${first}`) {
      shown = `${chapter.index} ${first}`;
      marked = null;
      text.replaceChildren(...paragraphsOf(sentences.slice(first, first + MOST)));
      text.scrollTop = 0;
    }
    mark(text.querySelectorAll(".said")[now - first]);
  }
  function mark(sentence) {
    if (sentence === marked || !sentence) return;
    marked?.removeAttribute("aria-current");
    if (marked) marked.tabIndex = -1;
    marked = sentence;
    sentence.setAttribute("aria-current", "true");
    sentence.tabIndex = 0;
    wrong.href = `${address}/${encodeURIComponent(sentence.textContent)}`;
    const above = sentence.offsetTop - text.clientHeight / 3;
    if (!text.contains(document.activeElement)) text.scrollTop = above;
  }
  function onKey(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const all = [...text.querySelectorAll(".said")];
    if (by) all[all.indexOf(event.target) + by]?.focus();
    else event.target.click();
  }
  player.addEventListener("change", update);
  player.addEventListener("tick", update);
  update();
  return element;
}
