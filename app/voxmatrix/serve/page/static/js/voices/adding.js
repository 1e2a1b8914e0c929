// A Piper voice of one's own: two files, dropped or chosen.

import { ask } from "../api.js";
import { el, fileInput, onDrop, progressBar, quiet, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { upload } from "../jobs/upload.js";
import { voiceName } from "../words.js";

const ONNX = /\.onnx$/i;
const JSON_FILE = /\.json$/i;
const named = ({ name }) => voiceName(name.replace(/\.onnx(\.json)?$|\.json$/i, "")) || "voice";

export class Adding {
  #onnx = null;
  #config = null;
  #problem = trouble();
  #status = el("p", { class: "note", role: "status" });
  #progress = progressBar();
  #file = fileInput(".onnx,.json", (files) => this.#take(files), true);
  #replace = el("button", { class: "quiet", hidden: true, onclick: () => this.#install(true) }, t("voices.replace"));
  button = quiet(t("voices.add"), () => this.#file.click());
  element = el("div", { class: "adding" }, this.#file, this.#progress.element, this.#status, this.#problem, this.#replace);

  /** Files may be dropped while `zone` is shown; `added` is called when a voice has come. */
  constructor(zone, added) {
    this.added = added;
    this.#progress.element.hidden = true;
    onDrop(zone, undefined, (files) => zone.offsetParent && this.#take(files));
  }

  #take(all) {
    this.#onnx = all.find(({ name }) => ONNX.test(name)) ?? this.#onnx;
    this.#config = all.find(({ name }) => JSON_FILE.test(name)) ?? this.#config;
    this.#tell("");
    if (!this.#onnx && !this.#config) return this.#tell("", t("voices.two_files"));
    if (!this.#config) return this.#tell(t("voices.add_too", { file: `${this.#onnx.name}.json` }));
    if (!this.#onnx) return this.#tell(t("voices.add_too", { file: this.#config.name.replace(JSON_FILE, "") }));
    return this.#install(false);
  }

  async #install(replace) {
    this.button.disabled = true;
    this.#progress.element.hidden = false;
    this.#tell(t("voices.sending", { name: this.#onnx.name }));
    const name = named(this.#onnx);
    try {
      const sent = [await upload(this.#config), await upload(this.#onnx, this.#progress.show)];
      await ask("v1/voices", { body: { files: sent.map(({ id }) => id), name, replace } });
      this.#onnx = this.#config = null;
      this.#tell(t("voices.added", { name }));
      this.added();
    } catch (problem) {
      this.#tell("", problem.message);
      this.#replace.hidden = problem.status !== 409;
      if (problem.status !== 409) this.#onnx = this.#config = null;
    }
    this.#progress.element.hidden = true;
    this.button.disabled = false;
  }

  #tell(status, problem = "") {
    this.#status.textContent = status;
    this.#problem.textContent = problem;
    this.#replace.hidden = true;
  }
}
