// Which recordings to train on.

import { READ } from "../book/shelf.js";
import { back, el, field, note, onDo, onDrop, source, trouble } from "../dom.js";
import { createJob, listJobs, showInTrain } from "../jobs/api.js";
import { upload } from "../jobs/upload.js";
import { checkList, readLists } from "../record/api.js";
import { languageSelect } from "../record/new-list.js";
import { clock, language } from "../words.js";

const ZIP = "zip";
const LONG = "long";
const MODELS = ["base", "small", "large-v3"];

export class Choice {
  #end = new AbortController();
  #problem = trouble();
  #sent = el("progress", { value: 0, hidden: true, "aria-label": "Sent" });
  #file = el("input", { type: "file", accept: ".zip,application/zip", "aria-label": "ZIP file" });
  #recordings = el("input", { type: "file", multiple: true, accept: "audio/*,video/*,.m4b,.flac,.opus,.mkv" });
  #text = el("input", { type: "file", accept: READ });
  #model = el("select", {}, MODELS.map((name) => el("option", {}, name)));
  #several = el("input", { type: "checkbox" });
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
      const [{ lists }, { data }] = await Promise.all([readLists(), listJobs({ kind: "segment", limit: 100 })]);
      if (!this.#end.signal.aborted) this.#show(lists.filter(({ recorded }) => recorded), data);
    } catch (problem) {
      this.place.replaceChildren(back("#/train", "All trainings"), trouble(problem.message));
    }
  }

  #show(lists, cuts) {
    const parts = {
      [ZIP]: el("div", { class: "own" }, this.#file,
        note("Sound files with their texts: ", el("code", {}, "metadata.csv"), " beside ", el("code", {}, "wavs/"),
          ", or a text file of the same name beside each sound.")),
      [LONG]: el("div", { class: "own" },
        field("Audiobooks, interviews or videos", this.#recordings), field("What is read in them, if you have it", this.#text),
        field("Recogniser, from quick to good", this.#model),
        el("label", { class: "source" }, this.#several, el("span", {}, "Several people speak"))),
    };
    const own = el("div", { class: "own" }, Object.values(parts), field("Language", this.#language));
    const choose = (id) => {
      own.hidden = !parts[id];
      for (const [name, part] of Object.entries(parts)) part.hidden = name !== id;
      this.#submit.textContent = id === LONG ? "Cut them into clips" : "Check the recordings";
    };
    const radio = (id, name, words) => source(id, () => choose(String(id)), name, words);
    const rows = lists.map((list, at) => radio(at, list.name,
      `${list.profile} · ${language(list.language)} · ${list.recorded} recordings, ${clock(list.seconds, 0)} of speech`));
    const form = el("form", { class: "new-list", onsubmit: onDo(this.#problem, () => this.#go(form.elements.source.value, lists)) },
      el("h1", {}, "Train a voice"),
      lists.length === 0 && el("div", { class: "none-yet" },
        el("p", {}, "There are no recordings on this server yet."),
        el("a", { class: "primary", href: "#/record" }, "Record a voice"),
        note("Or bring recordings that you have.")),
      el("fieldset", {}, el("legend", {}, "Which recordings?"), rows, radio(ZIP, "My own recordings", "a ZIP file"),
        radio(LONG, "Long recordings", "are cut into clips with their texts")),
      own, this.#problem, this.#sent,
      el("div", { class: "form-actions" }, this.#submit),
      cuts.length > 0 && note("Already cut: ", ...cuts.flatMap(({ id, title }, at) => [at ? ", " : "", el("a", { href: `#/train/${id}` }, title)])));
    this.place.replaceChildren(back("#/train", "All trainings"), form);
    form.elements.source[0].click();
    onDrop(form, this.#end.signal, () => {}); // or the browser leaves the page
  }

  async #go(chosen, lists) {
    const made = chosen === ZIP ? this.#own() : chosen === LONG ? this.#cut() : checkList(lists[chosen]);
    const job = await made.finally(() => (this.#sent.hidden = true));
    if (!this.#end.signal.aborted) showInTrain(job);
  }

  async #own() {
    const [file] = this.#file.files;
    if (!file) throw new Error("Choose a ZIP file first.");
    const [id] = await this.#send([file]);
    return createJob({ kind: "prepare", file: id, language: this.#language.value });
  }

  async #cut() {
    const files = [...this.#recordings.files].sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
    if (!files.length) throw new Error("Choose a recording first.");
    const ids = await this.#send([...files, ...this.#text.files]);
    const texts = ids.splice(files.length);
    return createJob({ kind: "segment", files: ids, texts, language: this.#language.value, judge: this.#model.value, speakers: this.#several.checked ? "auto" : null });
  }

  /** The ids of the files, once all were sent. */
  async #send(files) {
    const ids = [];
    this.#sent.hidden = false;
    this.#sent.max = files.reduce((sum, { size }) => sum + size, 0);
    let before = 0;
    for (const file of files) {
      ids.push((await upload(file, (part) => (this.#sent.value = before + part * file.size), this.#end.signal)).id);
      before += file.size;
    }
    return ids;
  }
}
