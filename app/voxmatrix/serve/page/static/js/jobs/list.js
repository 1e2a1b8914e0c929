// Jobs, newest first, kept up to date while they are shown.

import { el, fill, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { ENDED, listJobs } from "./api.js";
import { jobCard } from "./card.js";

const PAGE = 20;
const MOST = 100; // the server gives no more at once
const BUSY_MS = 1000;
const IDLE_MS = 5000;

export class JobList {
  #jobs = []; // newest first
  #cards = new Map(); // by id: {element, update, end}
  #timer = 0;
  #left = false;
  #list = el("div", { class: "jobs" });
  #older = el("button", { class: "quiet older", hidden: true, onclick: () => this.#more() }, t("jobs.older"));
  #problem = trouble();

  /** `kinds` limit it; `action` makes what stands beside the title, and `empty` what is shown if there are none. */
  constructor(place, { title, kinds = [], action = undefined, empty }) {
    this.place = place;
    this.kinds = kinds;
    this.empty = empty;
    const heading = el("div", { class: "heading" }, el("h1", {}, title), action?.());
    this.#list.append(el("div", { class: "bone" }), el("div", { class: "bone" }));
    place.replaceChildren(heading, this.#list, this.#older, this.#problem);
    document.addEventListener("visibilitychange", this.#onVisible);
    this.load();
  }

  leave() {
    this.#left = true;
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.#onVisible);
    this.#cards.forEach(({ end }) => end.abort());
  }

  /** Ask again, and then again and again while somebody looks. */
  async load() {
    clearTimeout(this.#timer);
    try {
      const limit = Math.min(MOST, Math.max(PAGE, this.#jobs.length));
      const { data, has_more: hasMore } = await listJobs(this.#query({ limit }));
      if (this.#left) return;
      const oldest = data.at(-1)?.created ?? 0;
      const older = hasMore ? this.#jobs.filter(({ created }) => created < oldest) : [];
      if (!older.length) this.#older.hidden = !hasMore;
      this.#show([...data, ...older]);
      this.#problem.textContent = "";
    } catch (problem) {
      if (this.#left) return;
      this.#problem.textContent = problem.message;
      if (!this.#cards.size) this.#list.replaceChildren();
    }
    const busy = this.#jobs.some(({ state }) => !ENDED.includes(state));
    const seen = !document.hidden && this.place.offsetParent !== null;
    if (seen && !this.#left) this.#timer = setTimeout(() => this.load(), busy ? BUSY_MS : IDLE_MS);
  }

  #onVisible = () => document.hidden || this.load();

  #query(more) {
    return [...this.kinds.map((kind) => ["kind", kind]), ...Object.entries(more)];
  }

  async #more() {
    try {
      const { data, has_more: hasMore } = await listJobs(this.#query({ limit: PAGE, after: this.#jobs.at(-1).id }));
      if (this.#left) return;
      this.#older.hidden = !hasMore;
      this.#show([...this.#jobs, ...data]);
    } catch (problem) {
      this.#problem.textContent = problem.message;
    }
  }

  #show(jobs) {
    this.#jobs = jobs;
    const ids = new Set(jobs.map(({ id }) => id));
    for (const [id, { end }] of this.#cards) {
      if (ids.has(id)) continue;
      end.abort();
      this.#cards.delete(id);
    }
    const elements = jobs.map((job) => this.#card(job));
    if (elements.length) fill(this.#list, elements);
    else if (!this.#list.querySelector(".empty")) this.#list.replaceChildren(el("div", { class: "empty" }, el("div", { class: "dots", "aria-hidden": "true" }), this.empty()));
  }

  #card(job) {
    const known = this.#cards.get(job.id);
    if (known) {
      known.update(job);
      return known.element;
    }
    const end = new AbortController();
    const made = jobCard(job, { onChange: () => this.load(), signal: end.signal });
    this.#cards.set(job.id, { ...made, end });
    return made.element;
  }
}
