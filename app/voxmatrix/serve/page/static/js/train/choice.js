// Which recordings to train on.

import { READ } from "../book/shelf.js";
import { back, el, field, note, onDo, onDrop, source, trouble } from "../dom.js";
import { parts, t } from "../i18n.js";
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
  #sent = el("progress", { value: 0, hidden: true, "aria-label": t("train.sent") });
  #file = el("input", { type: "file", accept: ".zip,application/zip", "aria-label": t("train.zip_file") });
  #recordings = el("input", { type: "file", multiple: true, accept: "audio/*,video/*,.m4b,.flac,.opus,.mkv" });
  #text = el("input", { type: "file", accept: `${READ},.srt,.vtt,.TextGrid,.json,.tsv` });
  #model = el("select", {}, MODELS.map((name) => el("option", {}, name)));
  #several = el("input", { type: "checkbox" });
  #language = languageSelect();
  #submit = el("button", { class: "primary", type: "submit" }, t("train.check"));

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
      this.place.replaceChildren(back("#/train", t("train.all")), trouble(problem.message));
    }
  }

  #show(lists, cuts) {
    const panels = {
      [ZIP]: el("div", { class: "own" }, this.#file,
        note(...parts("train.zip_about", { table: el("code", {}, "metadata.csv"), folder: el("code", {}, "wavs/") }))),
      [LONG]: el("div", { class: "own" },
        field(t("train.long_files"), this.#recordings), field(t("train.long_text"), this.#text),
        field(t("train.recogniser"), this.#model),
        el("label", { class: "source" }, this.#several, el("span", {}, t("train.several")))),
    };
    const own = el("div", { class: "own" }, Object.values(panels), field(t("train.language"), this.#language));
    const choose = (id) => {
      own.hidden = !panels[id];
      for (const [name, part] of Object.entries(panels)) part.hidden = name !== id;
      this.#submit.textContent = t(id === LONG ? "train.cut" : "train.check");
    };
    const radio = (id, name, words) => source(id, () => choose(String(id)), name, words);
    const rows = lists.map((list, at) => radio(at, list.name,
      t("train.list_facts", { profile: list.profile, language: language(list.language), recorded: list.recorded, time: clock(list.seconds, 0) })));
    const form = el("form", { class: "new-list", onsubmit: onDo(this.#problem, () => this.#go(form.elements.source.value, lists)) },
      el("h1", {}, t("train.heading")),
      lists.length === 0 && el("div", { class: "none-yet" },
        el("p", {}, t("train.none_yet")),
        el("a", { class: "primary", href: "#/record" }, t("train.record")),
        note(t("train.bring"))),
      el("fieldset", {}, el("legend", {}, t("train.which")), rows, radio(ZIP, t("train.zip"), t("train.zip_what")),
        radio(LONG, t("train.long"), t("train.long_what"))),
      own, this.#problem, this.#sent,
      el("div", { class: "form-actions" }, this.#submit),
      cuts.length > 0 && note(...parts("train.already_cut", { links: el("span", {}, cuts.flatMap(({ id, title }, at) => [at ? ", " : "", el("a", { href: `#/train/${id}` }, title)])) })));
    this.place.replaceChildren(back("#/train", t("train.all")), form);
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
    if (!file) throw new Error(t("train.zip_first"));
    const [id] = await this.#send([file]);
    return createJob({ kind: "prepare", file: id, language: this.#language.value });
  }

  async #cut() {
    const files = [...this.#recordings.files].sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
    if (!files.length) throw new Error(t("train.long_first"));
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
