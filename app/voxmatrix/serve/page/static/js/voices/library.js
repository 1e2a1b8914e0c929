// The library: voices that can be downloaded, and how far that is.

import { read } from "../api.js";
import { el, explained, isOffline, note, offline, onDo, progressBar, quiet, trouble } from "../dom.js";
import { parts, t } from "../i18n.js";
import { cancelJob, createJob, ENDED, listJobs } from "../jobs/api.js";
import { followJob } from "../jobs/follow.js";
import { facts } from "../jobs/words.js";
import { joined, language } from "../words.js";

const FIRST = 24;

export class Library {
  voices = [];
  complete = false;
  element = el("section", { "aria-label": t("voices.library") });
  #problem = "";
  #all = false;
  #cards = new Map(); // by name: a download goes on while others are searched

  /** `changed` is called when a voice has come, `onFiles` for who has the files of one. */
  constructor(changed, onFiles) {
    this.changed = changed;
    this.onFiles = onFiles;
  }

  async load() {
    this.element.replaceChildren(el("div", { class: "bone" }));
    try {
      const { voices, problem } = await read("v1/library");
      this.voices = voices;
      this.#problem = problem ?? "";
      this.complete = !problem;
      await this.#findRunning();
    } catch (problem) {
      this.#problem = problem.message;
    }
  }

  /** Show those that match, but not those that are here. */
  show(matches, here) {
    if (!this.voices.length && !this.#problem) return;
    const others = this.voices.filter((voice) => !here.has(voice.id) && matches(voice));
    const offers = this.#offers(others, here);
    const shown = this.#all ? offers : offers.slice(0, FIRST);
    this.element.replaceChildren(
      el("h2", { class: "shelf-heading" }, t("voices.library"), " ", el("span", { class: "number note" }, offers.length ? t("count.more_voices", { count: offers.length }) : "")),
      ...(isOffline(this.#problem) ? [...offline(this.#problem), quiet(t("voices.try_again"), () => this.#again())] : this.#problem ? [note(this.#problem)] : []),
      shown.length ? el("ul", { class: "voice-cards" }, shown.map((voice) => this.#card(voice).element)) : note(t("voices.none")),
      shown.length < offers.length ? el("button", { class: "quiet more", onclick: () => {
        this.#all = true;
        this.show(matches, here);
      } }, t("voices.show_all", { count: offers.length })) : "");
  }

  async #again() {
    await this.load();
    this.changed();
  }

  /** Voices that come together are one offer, until some of them are here: then the others were deleted. */
  #offers(voices, here) {
    const present = new Set([...here].map((id) => id.split("/")[0]));
    const whole = new Set(voices.filter(({ family, together }) => together && !present.has(family)).map(({ family }) => family));
    const single = voices.filter(({ family }) => !whole.has(family)).sort((one, other) => Number(other.together) - Number(one.together));
    return [...[...whole].map((family) => this.#family(family)), ...single];
  }

  #family(name) {
    const all = this.voices.filter(({ family }) => family === name);
    const languages = new Set(all.map((voice) => voice.language));
    return { ...all[0], id: name, title: all[0].library, about: t("voices.together", { voices: all.length, count: languages.size }) };
  }

  #card(voice) {
    if (!this.#cards.has(voice.id)) this.#cards.set(voice.id, new Offer(voice, this.changed, this.onFiles));
    return this.#cards.get(voice.id);
  }

  /** Downloads that somebody has begun before. */
  async #findRunning() {
    const { data } = await listJobs({ kind: "download", limit: 100 });
    for (const job of data) {
      if (ENDED.includes(job.state)) continue;
      const [name] = job.request.voice.split("/");
      const together = this.voices.some((voice) => voice.together && voice.family === name);
      const voice = together ? this.#family(name) : this.voices.find(({ id }) => id === job.request.voice);
      if (voice) this.#card(voice).follow(job);
    }
  }
}

/** A voice that can be downloaded. */
export class Offer {
  #problem = trouble();
  #offline = el("div", { class: "voice-offline", role: "alert" });
  #progress = progressBar();
  #status = el("p", { class: "note small number", role: "status" });
  #buttons = el("div", { class: "voice-acts" });
  #license = el("div", { class: "voice-license", hidden: true });

  constructor(voice, changed, onFiles) {
    this.voice = voice;
    this.changed = changed;
    this.onFiles = onFiles;
    const { title, about, language: code, quality, speakers, library, bytes, license } = voice;
    const facts = about ?? joined(language(code), quality.replaceAll("_", " "), speakers > 1 ? t("count.speakers", { count: speakers }) : "");
    const megabytes = t("voices.megabytes", { size: Math.round(bytes / 1e6) });
    this.#progress.element.hidden = true;
    this.element = el("li", { class: about ? "voice-card large" : "voice-card", "aria-label": title },
      el("div", { class: "voice-about" },
        el("h3", {}, title),
        note(facts),
        el("p", { class: "note small" }, joined(library, megabytes, license)),
        this.#license, this.#progress.element, this.#status, this.#problem, this.#offline),
      this.#buttons);
    this.#offer();
  }

  #offer() {
    const label = { "aria-label": t("voices.download_one", { voice: this.voice.title }) };
    this.#buttons.replaceChildren(el("button", { class: this.voice.about ? "primary" : "quiet", ...label, onclick: onDo(this.#problem, () => this.#ask()) }, t("voices.download")));
    this.#progress.element.hidden = true;
    this.#status.textContent = "";
  }

  /** Show the licence; one that allows every use needs no answer. */
  async #ask() {
    const { license, permissive, model_card: card } = await read(`v1/library/${this.voice.id}`);
    if (permissive) return this.#download();
    this.#license.hidden = false;
    this.#license.replaceChildren(
      el("p", {}, parts("voices.restricted", { licence: el("strong", {}, license) })),
      card ? el("details", {}, el("summary", {}, t("voices.model_card")), el("pre", {}, card)) : "");
    this.#buttons.replaceChildren(
      quiet(t("voices.accept"), onDo(this.#problem, () => this.#download(true))),
      el("button", { class: "link", onclick: () => this.#refuse() }, t("voices.refuse")));
    return undefined;
  }

  #refuse() {
    this.#license.hidden = true;
    this.#offer();
  }

  async #download(accepted = false) {
    const job = await createJob({ kind: "download", voice: this.voice.id, accept_licence: accepted, title: this.voice.title });
    this.#license.hidden = true;
    this.#offline.replaceChildren();
    this.follow(job);
  }

  /** Show how far a download is. */
  follow(job) {
    this.#progress.element.hidden = false;
    this.#progress.show(job.progress);
    this.#status.textContent = facts(job);
    this.#buttons.replaceChildren(quiet(t("voices.cancel"), () => cancelJob(job.id)));
    const onProgress = ({ progress, seconds_left }) => {
      this.#progress.show(progress);
      this.#status.textContent = facts({ state: "running", progress, seconds_left });
    };
    followJob(job.id, { onProgress, onEnd: (ended) => this.#ended(ended) });
  }

  #failed(error) {
    if (!isOffline(error.message)) return (this.#problem.textContent = `${error.message} ${error.remedy}`);
    const { together, origin } = this.voice;
    const from = /^https?:/.test(origin) && note(...parts("voices.files_from", { origin: el("a", { href: origin, rel: "noreferrer" }, new URL(origin).host) }));
    return this.#offline.replaceChildren(...explained(error), ...(together ? [from, quiet(t("voices.have_files"), this.onFiles)].filter(Boolean) : []));
  }

  #ended(job) {
    this.#offer();
    if (job?.error) this.#failed(job.error);
    if (job?.state === "done") this.changed();
  }
}
