// Which recordings to train on.

import { back, el, field, note, source, trouble } from "../dom.js";
import { createJob } from "../jobs/api.js";
import { upload } from "../jobs/upload.js";
import { checkList, readLists } from "../record/api.js";
import { languageSelect } from "../record/new-list.js";
import { clock, language } from "../words.js";

const ZIP = "zip";

export class Choice {
  #end = new AbortController();
  #problem = trouble();
  #sent = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Sent" });
  #file = el("input", { type: "file", accept: ".zip,application/zip", "aria-label": "ZIP file" });
  #language = languageSelect();
  #submit = el("button", { class: "primary", type: "submit" }, "Check the recordings");

  constructor(place) {
    this.place = place;
    this.#load();
  }

  leave() {
    this.#end.abort();
  }

  async #load() {
    try {
      const { lists } = await readLists();
      if (!this.#end.signal.aborted) this.#show(lists.filter(({ recorded }) => recorded));
    } catch (problem) {
      this.place.replaceChildren(back("#/train", "All trainings"), trouble(problem.message));
    }
  }

  #show(lists) {
    const own = el("div", { class: "own", hidden: lists.length > 0 },
      this.#file,
      note("Sound files with their texts: ", el("code", {}, "metadata.csv"), " beside ", el("code", {}, "wavs/"),
        ", or a text file of the same name beside each sound."),
      field("Language", this.#language));
    const radio = (id, name, facts) => source(id, () => (own.hidden = id !== ZIP), name, facts);
    const rows = lists.map((list, at) => radio(at, list.name,
      `${list.profile} · ${language(list.language)} · ${list.recorded} recordings, ${clock(list.seconds, 0)} of speech`));
    const form = el("form", { class: "new-list", onsubmit: (event) => this.#go(event, lists) },
      el("h1", {}, "Train a voice"),
      lists.length === 0 && el("div", { class: "none-yet" },
        el("p", {}, "There are no recordings on this server yet."),
        el("a", { class: "primary", href: "#/record" }, "Record a voice"),
        note("Or bring recordings that you have.")),
      el("fieldset", {}, el("legend", {}, "Which recordings?"), rows, radio(ZIP, "My own recordings", "a ZIP file")),
      own, this.#problem, this.#sent,
      el("div", { class: "form-actions" }, this.#submit));
    form.querySelector("input[type=radio]").checked = true;
    this.place.replaceChildren(back("#/train", "All trainings"), form);
  }

  async #go(event, lists) {
    event.preventDefault();
    const chosen = event.currentTarget.elements.source.value;
    this.#problem.textContent = "";
    this.#submit.disabled = true;
    try {
      const job = await (chosen === ZIP ? this.#own() : checkList(lists[chosen]));
      if (!this.#end.signal.aborted) location.hash = `#/train/${job.id}`;
    } catch (problem) {
      this.#problem.textContent = problem.message;
    } finally {
      this.#submit.disabled = false;
      this.#sent.hidden = true;
    }
  }

  /** Send the ZIP. */
  async #own() {
    const [file] = this.#file.files;
    if (!file) throw new Error("Choose a ZIP file first.");
    this.#sent.hidden = false;
    const { id } = await upload(file, (part) => (this.#sent.value = part), this.#end.signal);
    return createJob({ kind: "prepare", file: id, language: this.#language.value });
  }
}
