// A Piper voice of one's own: two files, dropped or chosen.

import { ask } from "../api.js";
import { el, level, trouble } from "../dom.js";
import { upload } from "../jobs/upload.js";

const ONNX = /\.onnx$/i;
const JSON_FILE = /\.json$/i;
const named = (file) => file.name.replace(/\.onnx(\.json)?$|\.json$/i, "").replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[-_]+|-+$/g, "").slice(0, 64) || "voice";

export class Adding {
  #onnx = null;
  #config = null;
  #problem = trouble();
  #status = el("p", { class: "note", role: "status" });
  #bar = el("span", { class: "bar" });
  #track = el("div", { class: "track", hidden: true, "aria-hidden": "true" }, this.#bar);
  #file = el("input", { type: "file", multiple: true, accept: ".onnx,.json", class: "hidden", tabindex: "-1", "aria-hidden": "true", onchange: () => this.#chosen() });
  #replace = el("button", { class: "quiet", hidden: true, onclick: () => this.#install(true) }, "Replace that voice");
  button = el("button", { class: "quiet", onclick: () => this.#file.click() }, "Add a voice");
  element = el("div", { class: "adding" }, this.#file, this.#track, this.#status, this.#problem, this.#replace);

  /** Files may be dropped anywhere on `zone`; `added` is called when a voice has come. */
  constructor(zone, added) {
    this.added = added;
    const over = (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.toggle("over", event.type === "dragover");
    };
    for (const name of ["dragover", "dragleave"]) zone.addEventListener(name, over);
    zone.addEventListener("drop", (event) => {
      over(event);
      this.#take(event.dataTransfer.files);
    });
  }

  #chosen() {
    this.#take([...this.#file.files]);
    this.#file.value = "";
  }

  #take(files) {
    const all = [...files];
    this.#onnx = all.find(({ name }) => ONNX.test(name)) ?? this.#onnx;
    this.#config = all.find(({ name }) => JSON_FILE.test(name)) ?? this.#config;
    this.#tell("");
    if (!this.#onnx && !this.#config) return this.#tell("", "A Piper voice is two files: NAME.onnx and NAME.onnx.json.");
    if (!this.#config) return this.#tell(`Now add ${this.#onnx.name}.json, too.`);
    if (!this.#onnx) return this.#tell(`Now add ${this.#config.name.replace(JSON_FILE, "")}, too.`);
    return this.#install(false);
  }

  async #install(replace) {
    this.button.disabled = true;
    this.#track.hidden = false;
    this.#tell(`Sending ${this.#onnx.name}…`);
    const name = named(this.#onnx);
    try {
      const sent = [await upload(this.#config), await upload(this.#onnx, (part) => level(this.#bar, part))];
      await ask("v1/voices", { body: { files: sent.map(({ id }) => id), name, replace } });
      this.#onnx = this.#config = null;
      this.#tell(`${name} was added.`);
      this.added();
    } catch (problem) {
      this.#tell("", problem.message);
      this.#replace.hidden = problem.status !== 409;
      if (problem.status !== 409) this.#onnx = this.#config = null;
    }
    this.#track.hidden = true;
    this.button.disabled = false;
  }

  #tell(status, problem = "") {
    this.#status.textContent = status;
    this.#problem.textContent = problem;
    this.#replace.hidden = true;
  }
}
