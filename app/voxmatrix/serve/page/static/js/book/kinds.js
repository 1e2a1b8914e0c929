// Which parts of a book are read beside its text.

import { el } from "../dom.js";
import { LOCALE, t } from "../i18n.js";

const WORDS = {
  cover: t("book.kind_cover"),
  "title-page": t("book.kind_title"),
  copyright: t("book.kind_copyright"),
  imprint: t("book.kind_imprint"),
  boilerplate: t("book.kind_boilerplate"),
  contents: t("book.kind_contents"),
  notes: t("book.kind_notes"),
  index: t("book.kind_index"),
  bibliography: t("book.kind_bibliography"),
  "page-numbers": t("book.kind_page_numbers"),
  "verse-numbers": t("book.kind_verse_numbers"),
  pictures: t("book.kind_pictures"),
  code: t("book.kind_code"),
  tables: t("book.kind_tables"),
  headings: t("book.kind_headings"),
  urls: t("book.kind_urls"),
};
/** Read unless somebody says otherwise, as in voxmatrix/book/kinds.py. */
const USUAL = ["tables", "headings", "urls", "verse-numbers"];

export class Kinds extends EventTarget {
  #boxes;

  /** `kinds` as the inspection of the book tells them. */
  constructor(kinds) {
    super();
    this.#boxes = kinds.map(({ kind, spoken }) => [kind, el("input", { type: "checkbox", checked: spoken, onchange: () => this.dispatchEvent(new Event("change")) })]);
    const boxes = this.#boxes.map(([kind, input], place) =>
      el("label", { class: "box" }, input, el("span", {}, WORDS[kind] ?? kind, el("small", {}, `${kinds[place].count.toLocaleString(LOCALE)} · ${kinds[place].beginning}`))));
    this.element = el("details", { hidden: kinds.length === 0 }, el("summary", {}, t("book.also")), boxes);
  }

  /** What differs from what is usual, as fields of a request. */
  get fields() {
    const include = this.#boxes.filter(([kind, { checked }]) => checked && !USUAL.includes(kind)).map(([kind]) => kind);
    const exclude = this.#boxes.filter(([kind, { checked }]) => !checked && USUAL.includes(kind)).map(([kind]) => kind);
    return { ...(include.length && { include }), ...(exclude.length && { exclude }) };
  }
}
