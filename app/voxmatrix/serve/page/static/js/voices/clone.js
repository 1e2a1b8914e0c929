// A voice of seconds: a recording that an engine imitates, at #/voices/clone.

import { ask, read } from "../api.js";
import { back, el, field, fileInput, nameInput, note, onDo, onDrop, quiet, speakAddress, trouble } from "../dom.js";
import { decimal, t } from "../i18n.js";
import { upload } from "../jobs/upload.js";
import { Devices } from "../record/devices.js";
import { Microphone } from "../record/microphone.js";
import { MAIN } from "../record/stage.js";
import { said } from "../record/verdict.js";
import { clip } from "../sound/clip.js";
import { player } from "../sound/player.js";
import { wavFile } from "../sound/wav.js";
import { clock, language, ownLanguage } from "../words.js";
import { engineCards } from "./engines.js";

export class Cloning {
  #end = new AbortController();
  #clip = new AbortController(); // of the recording that is heard
  #microphone = new Microphone();
  #devices = new Devices(this.#microphone);
  #sent = null; // the id of the upload
  #asked = 0; // a check that is overtaken by a later one is old
  #engine = el("select", { onchange: () => this.#choose() });
  #wants = note();
  #language = el("select");
  #main = quiet("", () => this.#press());
  #heard = el("div");
  #verdict = el("div", { class: "verdict-of", role: "status" });
  #words = el("textarea", { rows: 3, maxlength: 5000, onchange: () => this.#check() });
  #speaker = el("input", { required: true, maxlength: 200, autocomplete: "off", oninput: () => this.#state() });
  #statement = el("span");
  #name = nameInput();
  #problem = trouble();
  element = el("div", {}, el("div", { class: "bone tall" }));

  constructor() {
    this.#load();
  }

  async #load() {
    try {
      const known = await read("v1/engines");
      this.element.replaceChildren(back("#/voices", t("voices.all")),
        ...(known.cloning.length ? [this.#form(known)] : [el("h1", {}, t("voices.no_engine")), ...engineCards(known.engines)]));
    } catch (problem) {
      this.element.replaceChildren(trouble(problem.message));
    }
  }

  #form({ cloning, consent }) {
    this.cloning = cloning;
    this.consent = consent;
    this.#engine.append(...cloning.map(({ title }, at) => el("option", { value: at }, title)));
    const file = fileInput("audio/*", ([chosen]) => this.#take(chosen));
    const form = el("form", { class: "new-list", onsubmit: onDo(this.#problem, () => this.#submit()) },
      el("h1", {}, t("voices.clone")),
      field(t("voices.engine"), this.#engine), field(t("voices.language"), this.#language),
      el("fieldset", {}, el("legend", {}, t("voices.recording")),
        this.#wants, this.#devices.element,
        el("div", { class: "form-actions" }, this.#main, quiet(t("voices.choose"), () => file.click()), file),
        this.#heard, this.#verdict),
      field(t("voices.said"), this.#words),
      field(t("voices.whose"), this.#speaker),
      el("label", { class: "source" }, el("input", { type: "checkbox", required: true }), this.#statement),
      field(t("voices.new_name"), this.#name),
      this.#problem, el("div", { class: "form-actions" }, el("button", { class: "primary", type: "submit" }, t("voices.keep"))));
    onDrop(form, this.#end.signal, ([dropped]) => this.#take(dropped));
    this.#microphone.addEventListener("change", () => this.#update());
    this.#microphone.addEventListener("level", () => this.#hear());
    this.#choose();
    this.#state();
    this.#update();
    return form;
  }

  leave() {
    this.#end.abort();
    this.#forget();
    this.#microphone.stop();
  }

  get #request() {
    const { engine, weights, transcript } = this.cloning[this.#engine.value];
    return { file: this.#sent, engine, weights, transcript: transcript === "none" ? "" : this.#words.value };
  }

  #choose() {
    const { seconds: [least, used], transcript, languages } = this.cloning[this.#engine.value];
    this.#wants.textContent = t("voices.read_aloud", { least, most: used });
    this.#language.replaceChildren(...languages.map((code) => el("option", { value: code }, language(code))));
    this.#language.value = ownLanguage(languages) ?? "";
    this.#language.parentElement.hidden = languages.length < 2;
    this.#words.parentElement.hidden = transcript === "none";
    this.#words.required = transcript === "required";
    this.#words.placeholder = this.#words.required ? "" : t("voices.helps");
    this.#check();
  }

  #state() {
    this.#statement.textContent = this.consent.replace("{name}", () => this.#speaker.value.trim() || "…");
  }

  #press() {
    const { mode } = this.#microphone;
    if (mode === "recording") this.#finish();
    else if (mode !== "ready") this.#microphone.start();
    else {
      player.pause();
      this.#forget();
      this.#microphone.begin();
      this.#update();
    }
  }

  async #finish() {
    const { sound } = this.#microphone;
    await this.#microphone.end();
    this.#update();
    this.#take(new File([wavFile(sound)], "recording.wav", { type: "audio/wav" }));
  }

  #update() {
    const { problem, state, mode } = this.#microphone;
    this.#devices.element.hidden = state !== "on";
    this.#devices.update(mode);
    this.#main.disabled = state === "starting";
    if (problem && !this.#sent) this.#verdict.replaceChildren(said("bad", problem[0], [{ remedy: problem[1] }])[1]);
    this.#hear();
  }

  #hear() {
    const { sound, mode } = this.#microphone;
    this.#devices.hear(mode);
    this.#main.textContent = sound ? t("voices.stop", { time: clock(sound.seconds) }) : MAIN[mode];
  }

  /** The recording that the voice is made of. */
  async #take(file) {
    if (!file) return;
    this.#forget();
    const { signal } = (this.#clip = new AbortController());
    try {
      this.#heard.replaceChildren(clip({ label: t("voices.the_recording"), load: () => file, eager: true, signal }));
      const { id } = await upload(file, undefined, signal);
      this.#sent = id;
      await this.#check();
    } catch (problem) {
      if (!signal.aborted) this.#verdict.replaceChildren(trouble(problem.message));
    }
  }

  /** The server keeps no recording that is not wanted. */
  #forget() {
    this.#asked++;
    this.#clip.abort();
    if (this.#sent) ask(`v1/files/${this.#sent}`, { method: "DELETE" }).catch(() => {});
    this.#sent = null;
    this.#heard.replaceChildren();
    this.#verdict.replaceChildren();
  }

  async #check() {
    if (!this.#sent) return;
    const asked = ++this.#asked;
    this.#verdict.replaceChildren(note(t("voices.checking")));
    let view;
    try {
      const { seconds, findings } = await read("v1/voices/clone/check", { body: this.#request });
      const [quality, words] = findings.some(({ severity }) => severity === "error") ? ["bad", t("voices.unusable")]
        : findings.length ? ["fair", t("voices.fair")] : ["good", t("voices.good")];
      [, view] = said(quality, words, findings, t("voices.speech", { seconds: decimal(seconds, 1) }));
    } catch (problem) {
      view = trouble(problem.message);
    }
    if (asked === this.#asked) this.#verdict.replaceChildren(view);
  }

  async #submit() {
    if (!this.#sent) throw new Error(t("voices.record_first"));
    const { id } = await read("v1/voices/clone", { body: { ...this.#request, name: this.#name.value, language: this.#language.value, consent: this.#speaker.value } });
    this.#sent = null; // it is part of the voice now
    location.hash = speakAddress(id);
  }
}
