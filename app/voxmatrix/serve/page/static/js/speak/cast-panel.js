// What is opened below the text of the tab Speak: tags at the cursor, a voice for each speaker, mixtures of voices.

import { readVoices, voiceOf, voiceSelect } from "../book/voice-choice.js";
import { el, field, icon, note, quiet, trouble } from "../dom.js";
import { LOCALE, t } from "../i18n.js";
import { PLAY } from "../icons.js";
import { row as copied } from "../voices/connect.js";
import { language, shortened } from "../words.js";
import { withColons } from "./speakers.js";

const MIXABLE = /^kokoro\/\w+$/; // whose voices can be mixed
const TENTHS = 10;
const SAMPLE = 120; // characters

export class CastPanel {
  #voices = [];
  #mixed = []; // of this visit
  #shown = "";
  #tags = el("div", { class: "cast-tags" });
  #people = el("div", { class: "cast-rows" });
  #mixing = el("fieldset", { class: "cast-mixing" });
  #line = el("dl", { class: "cast-line" });
  #problem = trouble();

  constructor(cast) {
    this.cast = cast;
  }

  async load() {
    try {
      this.#voices = (await readVoices()).filter(({ problem }) => !problem);
    } catch (problem) {
      this.#problem.textContent = problem.message;
    }
    this.#showTags();
    this.#showMixing();
    this.cast.element.append(this.#tags, this.#people, this.#mixing, this.#line, this.#problem);
  }

  /** `names` that the text has, and those of a play, which the server does not know yet. */
  show(names, played) {
    const own = names.filter((name) => !voiceOf(this.#voices, name));
    const described = JSON.stringify([own, played, own.map(this.cast.voiceOf), this.#mixed]);
    this.#showLine(own);
    if (described === this.#shown) return;
    this.#shown = described;
    const focused = this.#people.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    this.#people.replaceChildren(
      el("h2", {}, t("cast.speakers")),
      own.length || played.length ? "" : note(t("cast.no_speakers")),
      ...own.map((name) => this.#person(name)),
      own.some((name) => !this.cast.voiceOf(name)) ? quiet(t("cast.give_voices"), () => this.#giveVoices(own)) : "",
      ...(played.length ? [note(t("cast.play", { name: played[0] })), quiet(t("cast.mark_play"), () => this.cast.write(withColons(this.cast.text.value), 0, this.cast.text.value.length))] : []));
    if (focused) /** @type {HTMLElement} */ (this.#people.querySelector(`[aria-label="${CSS.escape(focused)}"]`))?.focus();
  }

  #person(name) {
    const select = this.#select(this.cast.voiceOf(name), t("cast.as_text"), { "aria-label": t("cast.voice_of", { name }), onchange: () => this.cast.choose(name, select.value) });
    const hear = el("button", { class: "step", "aria-label": t("play.hear", { what: name }), onclick: () => this.#hear(name, select.value || this.#all[0].id) }, icon(PLAY));
    return el("div", { class: "cast-voice" }, field(name, select), hear);
  }

  get #all() {
    const mixed = this.#mixed.map((id) => ({ ...voiceOf(this.#voices, id.slice(0, id.search(/[(+]/))), id, title: id, speakers: [] }));
    return [...this.#voices, ...mixed];
  }

  #select(chosen, none, props) {
    return voiceSelect(this.#all, this.#voices[0]?.language ?? "", chosen, props, none);
  }

  /** Those without a voice get one that nobody has, while there are any. */
  #giveVoices(names) {
    const base = (code) => code.split("-")[0];
    const taken = new Set(names.map(this.cast.voiceOf));
    const [first, ...others] = this.#voices;
    const free = others.flatMap((voice) => (voice.speakers.length ? voice.speakers.map((speaker) => ({ ...voice, id: `${voice.id}:${speaker}` })) : voice))
      .sort((one, other) => Number(base(one.language) !== base(first.language)) - Number(base(other.language) !== base(first.language)))
      .map(({ id }) => id).filter((id) => !taken.has(id));
    for (const name of names.filter((one) => !this.cast.voiceOf(one))) this.cast.choose(name, free.shift() ?? first.id);
  }

  #hear(label, voice) {
    const known = voiceOf(this.#all, voice);
    const said = this.cast.text.value.replace(/\[[^\]\n]*\]/g, " ").replace(/^[^\n:]{1,40}:/gm, "").trim();
    this.cast.hear({ label, voice, text: shortened(said || t("voices.hello"), SAMPLE), rateHz: known.rate_hz, speed: 1, knobs: {} });
  }

  #showTags() {
    const around = (before, after) => {
      const { value, selectionStart: from, selectionEnd: to } = this.cast.text;
      this.cast.write(`${before}${value.slice(from, to) || " "}${after}`, from, to);
    };
    const voice = this.#select(this.#voices[0]?.id ?? "", "", { "aria-label": t("cast.other_voice") });
    this.#tags.replaceChildren(
      quiet(t("cast.pause"), () => this.cast.write("[pause:1s] ")),
      quiet(t("cast.slower"), () => around("[rate:0.8] ", " [rate]")),
      el("span", { class: "cast-other" }, voice, quiet(t("cast.speaks"), () => around(`[voice:${voice.value}] `, " [voice]"))));
  }

  /** Two voices of a network that mixes them. */
  #showMixing() {
    const voices = this.#voices.filter(({ id }) => MIXABLE.test(id));
    this.#mixing.hidden = voices.length < 2;
    if (this.#mixing.hidden) return;
    const options = () => voices.map(({ id, language: code }) => el("option", { value: id }, `${id.split("/")[1]} · ${language(code)}`));
    const [one, other] = [el("select", {}, options()), el("select", {}, options())];
    other.selectedIndex = 1;
    const share = el("input", { type: "range", min: 1, max: TENTHS - 1, value: TENTHS / 2, "aria-label": t("cast.share"), oninput: tell, "aria-valuetext": "" });
    const shares = el("p", { class: "note number" });
    const mixture = () => `${one.value}(${TENTHS - share.value})+${other.value.split("/")[1]}(${share.value})`;
    function tell() {
      const percent = (tenths) => (tenths / TENTHS).toLocaleString(LOCALE, { style: "percent" });
      shares.textContent = `${one.value.split("/")[1]} ${percent(TENTHS - share.value)} · ${other.value.split("/")[1]} ${percent(share.value)}`;
      share.setAttribute("aria-valuetext", shares.textContent);
    }
    one.addEventListener("change", tell);
    other.addEventListener("change", tell);
    tell();
    const keep = () => {
      if (!this.#mixed.includes(mixture())) this.#mixed.push(mixture());
      this.#showTags();
      this.cast.update();
    };
    this.#mixing.replaceChildren(el("legend", {}, t("cast.mix")), note(t("cast.mix_about")),
      field(t("cast.first_voice"), one), field(t("cast.second_voice"), other), share, shares,
      el("div", { class: "cast-tags" },
        quiet(t("play.listen"), () => this.cast.hear({ label: shares.textContent, voice: mixture(), text: t("voices.hello"), rateHz: voices[0].rate_hz, speed: 1, knobs: {} })),
        quiet(t("cast.keep_mixture"), keep)));
  }

  /** What `--cast` of the command line takes. */
  #showLine(names) {
    const lines = names.filter(this.cast.voiceOf).map((name) => {
      const voice = this.cast.voiceOf(name);
      const known = this.#voices.find(({ id }) => voice.startsWith(`${id}:`));
      return `${name}|${known ? `${known.id}|${voice.slice(known.id.length + 1)}` : voice}`;
    });
    this.#line.hidden = !lines.length;
    if (lines.length) this.#line.replaceChildren(copied(t("cast.tools"), "speakers.txt", lines.join("\n")), copied(t("cast.tools"), t("voices.command"), "voxmatrix speak --file text.txt --cast speakers.txt --out speech.wav"));
  }
}
