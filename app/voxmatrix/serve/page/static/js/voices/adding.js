// A Piper voice of one's own: two files, dropped or chosen.

import { ask } from "../api.js";
import { el, fileInput, onDrop, progressBar, quiet, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { upload } from "../jobs/upload.js";
import { voiceName } from "../words.js";

const ONNX = /\.onnx$/i;
/** Kokoro's network and its voices, as they are published: one for all. */
const NETWORK = /^kokoro.*\.onnx$/i;
const PACK = /^voices.*\.bin$/i;
const SHARED = ["kokoro-v1.0.int8.onnx", "voices-v1.0.bin"];
const JSON_FILE = /\.json$/i;
const named = ({ name }) => voiceName(name.replace(/\.onnx(\.json)?$|\.json$/i, "")) || "voice";

export class Adding {
  #onnx = null;
  #config = null;
  #network = null;
  #pack = null;
  #problem = trouble();
  #status = el("p", { class: "note", role: "status" });
  #progress = progressBar();
  #file = fileInput(".onnx,.json,.bin", (files) => this.#take(files), true);
  #replace = el("button", { class: "quiet", hidden: true, onclick: () => this.#install(true) }, t("voices.replace"));
  button = quiet(t("voices.add"), () => this.#file.click());
  element = el("div", { class: "adding" }, this.#file, this.#progress.element, this.#status, this.#problem, this.#replace);

  /** Files may be dropped while `zone` is shown; `added` is called when a voice has come. */
  constructor(zone, added) {
    this.added = added;
    this.#progress.element.hidden = true;
    onDrop(zone, undefined, (files) => zone.offsetParent && this.#take(files));
  }

  choose() {
    this.#file.click();
  }

  #take(all) {
    this.#network = all.find(({ name }) => NETWORK.test(name)) ?? this.#network;
    this.#pack = all.find(({ name }) => PACK.test(name)) ?? this.#pack;
    if (all.some(({ name }) => NETWORK.test(name) || PACK.test(name))) return this.#takeShared();
    this.#onnx = all.find(({ name }) => ONNX.test(name)) ?? this.#onnx;
    this.#config = all.find(({ name }) => JSON_FILE.test(name)) ?? this.#config;
    this.#tell("");
    if (!this.#onnx && !this.#config) return this.#tell("", t("voices.two_files"));
    if (!this.#config) return this.#tell(t("voices.add_too", { file: `${this.#onnx.name}.json` }));
    if (!this.#onnx) return this.#tell(t("voices.add_too", { file: this.#config.name.replace(JSON_FILE, "") }));
    return this.#install(false);
  }

  #takeShared() {
    this.#tell("");
    if (!this.#network || !this.#pack) return this.#tell(t("voices.add_too", { file: SHARED[this.#network ? 1 : 0] }));
    const [network, pack] = [this.#network, this.#pack];
    this.#network = this.#pack = null;
    return this.#send([pack, network], (files) => ask("v1/library/kokoro", { body: { files } }), "Kokoro");
  }

  async #install(replace) {
    const name = named(this.#onnx);
    const problem = await this.#send([this.#config, this.#onnx], (files) => ask("v1/voices", { body: { files, name, replace } }), name);
    this.#replace.hidden = problem?.status !== 409;
    if (this.#replace.hidden) this.#onnx = this.#config = null;
  }

  /** Send files, the largest of them last, and install them. Returns what went wrong. */
  async #send(files, install, name) {
    this.button.disabled = true;
    this.#progress.element.hidden = false;
    this.#tell(t("voices.sending", { name: files.at(-1).name }));
    let wrong = null;
    try {
      const ids = [];
      for (const file of files) ids.push((await upload(file, this.#progress.show)).id);
      await install(ids);
      this.#tell(t("voices.added", { name }));
      this.added();
    } catch (problem) {
      wrong = problem;
      this.#tell("", problem.message);
    }
    this.#progress.element.hidden = true;
    this.button.disabled = false;
    return wrong;
  }

  #tell(status, problem = "") {
    this.#status.textContent = status;
    this.#problem.textContent = problem;
    this.#replace.hidden = true;
  }
}
