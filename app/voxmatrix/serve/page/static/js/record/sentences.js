// All sentences of a list.

import { el, svg } from "../dom.js";
import { t } from "../i18n.js";

const MARKS = { open: ["", t("record.mark_open")], skipped: ["–", t("record.mark_skipped")], good: ["✓", t("record.mark_good")], fair: ["!", t("record.mark_fair")], bad: ["✕", t("record.mark_bad")] };
const WIDTH = 72;
const HEIGHT = 18;

/** "open", "skipped" or, of a take, "good", "fair" or "bad". */
export function standing({ state, take }) {
  if (!take) return state;
  return take.usable ? (take.findings.length ? "fair" : "good") : "bad";
}

export class Sentences {
  #rows = [];
  element = el("ol", { class: "sentences", "aria-label": t("record.sentences"), tabindex: "0" });

  constructor(onChoose) {
    this.onChoose = onChoose;
  }

  show(prompts) {
    this.#rows = prompts.map((prompt) => this.#row(prompt));
    this.element.replaceChildren(...this.#rows);
  }

  update(prompt) {
    const row = this.#row(prompt);
    this.#rows[prompt.number - 1].replaceWith(row);
    this.#rows[prompt.number - 1] = row;
  }

  /** Mark where the person is, and bring it into sight without moving the page. */
  mark(number) {
    this.element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = this.#rows[number - 1];
    row.firstChild.setAttribute("aria-current", "true");
    const above = row.offsetTop - this.element.clientHeight / 2 + row.offsetHeight / 2;
    if (this.element.scrollHeight > this.element.clientHeight) this.element.scrollTop = above;
  }

  #row(prompt) {
    const [mark, words] = MARKS[standing(prompt)];
    const button = el("button", { "data-standing": standing(prompt), onclick: () => this.onChoose(prompt.number) },
      el("span", { class: "mark", "aria-hidden": "true" }, mark || prompt.number),
      el("span", { class: "line" }, prompt.text),
      el("span", { class: "hidden" }, `, ${words}`));
    if (prompt.take) button.append(thumbnail(prompt.take.peaks));
    return el("li", {}, button);
  }
}

/** Peaks (0…1) as upright lines, as high as the loudest of them allows. */
function thumbnail(peaks) {
  const loudest = Math.max(0.1, ...peaks);
  const step = WIDTH / Math.max(1, peaks.length);
  const line = (peak, at) => {
    const high = Math.max(0.1, (peak / loudest) * (HEIGHT - 2));
    return `M${((at + 0.5) * step).toFixed(1)} ${((HEIGHT - high) / 2).toFixed(1)}v${high.toFixed(1)}`;
  };
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "thumbnail", "aria-hidden": "true" }, svg("path", { d: peaks.map(line).join("") }));
}
