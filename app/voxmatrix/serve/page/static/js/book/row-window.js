// A list of which only the rows that can be seen exist: a book may have ten thousand chapters.

import { el } from "../dom.js";

const HEIGHT = 44; // pixels of a row
const SPARE = 6; // rows above and below

export class RowWindow {
  #rows = new Map(); // by place
  #count = 0;

  /** `makeRow` gets the place of a row, from 0, and returns the list item. `signal` ends its life. */
  constructor({ label, makeRow, signal }) {
    this.makeRow = makeRow;
    this.list = el("ul", { "aria-label": label });
    this.element = el("div", { class: "row-window", onscroll: () => this.#draw() }, this.list);
    const resized = new ResizeObserver(() => this.#draw());
    resized.observe(this.element);
    signal.addEventListener("abort", () => resized.disconnect());
  }

  /** Show this number of rows, all of them new. */
  show(count) {
    this.#count = count;
    this.list.style.height = `${count * HEIGHT}px`;
    this.list.replaceChildren();
    this.#rows.clear();
    this.#draw();
  }

  /** The rows that exist, with their places. */
  get rows() {
    return [...this.#rows];
  }

  /** The row at a place, which can be seen then. */
  reveal(at) {
    const top = at * HEIGHT;
    const view = this.element;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + HEIGHT > view.scrollTop + view.clientHeight) view.scrollTop = top + HEIGHT - view.clientHeight;
    this.#draw();
    return this.#rows.get(at);
  }

  /** How many rows are seen at once. */
  get page() {
    return Math.max(1, Math.floor(this.element.clientHeight / HEIGHT));
  }

  #draw() {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / HEIGHT) - SPARE);
    const end = Math.min(this.#count, Math.ceil((scrollTop + clientHeight) / HEIGHT) + SPARE);
    for (const [at, row] of this.#rows) {
      if ((at >= first && at < end) || row.contains(document.activeElement)) continue;
      row.remove();
      this.#rows.delete(at);
    }
    for (let at = first; at < end; at++) if (!this.#rows.has(at)) this.#insert(at);
  }

  #insert(at) {
    const row = this.makeRow(at);
    row.style.top = `${at * HEIGHT}px`;
    row.setAttribute("aria-setsize", this.#count);
    row.setAttribute("aria-posinset", at + 1);
    // In their order, which is that of the Tab key and of screen readers.
    const after = [...this.#rows.keys()].filter((other) => other > at);
    this.list.insertBefore(row, after.length ? this.#rows.get(Math.min(...after)) : null);
    this.#rows.set(at, row);
  }
}
