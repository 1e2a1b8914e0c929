// Which parts of a book are read beside its text.

import { el } from "../dom.js";

const WORDS = {
  cover: "Cover", "title-page": "Title page", copyright: "Copyright page", imprint: "Imprint", contents: "Table of contents",
  notes: "Notes", index: "Index", bibliography: "Bibliography", pictures: "Descriptions of pictures", code: "Program code",
  tables: "Tables", headings: "Headings", urls: "Web addresses",
};
/** Read unless somebody says otherwise, as in voxmatrix/book/kinds.py. */
const USUAL = ["tables", "headings", "urls"];

export class Kinds extends EventTarget {
  #boxes;

  /** `kinds` as the inspection of the book tells them. */
  constructor(kinds) {
    super();
    this.#boxes = kinds.map(({ kind, spoken }) => [kind, el("input", { type: "checkbox", checked: spoken, onchange: () => this.dispatchEvent(new Event("change")) })]);
    const boxes = this.#boxes.map(([kind, input], place) =>
      el("label", { class: "box" }, input, el("span", {}, WORDS[kind] ?? kind, el("small", {}, `${kinds[place].count.toLocaleString()} · ${kinds[place].beginning}`))));
    this.element = el("details", { hidden: kinds.length === 0 }, el("summary", {}, "Also read aloud"), boxes);
  }

  /** What differs from what is usual, as fields of a request. */
  get fields() {
    const include = this.#boxes.filter(([kind, { checked }]) => checked && !USUAL.includes(kind)).map(([kind]) => kind);
    const exclude = this.#boxes.filter(([kind, { checked }]) => !checked && USUAL.includes(kind)).map(([kind]) => kind);
    return { ...(include.length && { include }), ...(exclude.length && { exclude }) };
  }
}
