// The studio of one list.

import { t } from "../i18n.js";
import { player } from "../sound/player.js";
import { wavFile } from "../sound/wav.js";
import { addressOf, readList, saveTake, skipPrompt } from "./api.js";
import { listenToKeys } from "./keys.js";
import { Microphone } from "./microphone.js";
import { StudioView } from "./studio-view.js";
import { Takes } from "./takes.js";

const MOST_SECONDS = 59; // the server takes a minute

export class Studio {
  #names;
  #list = null;
  #prompts = [];
  #at = 0; // the number of the sentence, from 1
  #recording = null; // the sound that is being recorded
  #saving = null; // a promise
  #unsaved = null; // a sound that the server did not take
  #problem = null; // [what, remedy]
  #takes;
  #end = new AbortController();
  #microphone = new Microphone();
  #view;

  constructor(place, { profile, name, number }) {
    this.#names = { profile, name };
    this.#at = number;
    this.#takes = new Takes(this.#names, () => this.#update());
    const act = {
      main: () => this.#main(),
      next: () => this.#next(),
      redo: () => this.#redo(),
      skip: () => this.#skip(),
      play: () => this.#play(),
      step: (by) => this.#go(this.#at + by),
      go: (to) => this.#go(to),
    };
    this.#view = new StudioView(place, act, this.#microphone, this.#end.signal);
    this.#microphone.addEventListener("change", () => this.#update());
    this.#microphone.addEventListener("level", () => this.#hear());
    this.#microphone.addEventListener("lost", () => this.#discard());
    const enter = () => (this.#recording && !this.#saving ? act.main() : act.next());
    const keys = { " ": act.main, Enter: enter, Escape: () => this.#discard(), r: act.redo, s: act.skip, p: act.play };
    listenToKeys({ ...keys, ArrowLeft: () => act.step(-1), ArrowRight: () => act.step(1) }, this.#end.signal);
  }

  /** Read the list, and what was recorded elsewhere in the meantime. */
  async load() {
    if (this.#unsaved && !this.#saving) this.#keep(this.#unsaved);
    try {
      const fresh = await readList(this.#names);
      if (!this.#end.signal.aborted && !this.#recording && !this.#saving) await this.#take(fresh);
    } catch (problem) {
      if (!this.#list) this.#view.fail(problem.message);
    }
  }

  /** Another view is shown: the microphone is released. */
  leave() {
    this.#end.abort();
    this.#microphone.stop();
    player.pause();
  }

  get #mode() {
    return this.#saving ? "saving" : this.#microphone.mode;
  }

  get #prompt() {
    return this.#prompts[this.#at - 1];
  }

  async #take({ list, prompts }) {
    const isFirst = !this.#list;
    this.#takes.forget(this.#prompts, prompts);
    [this.#list, this.#prompts] = [list, prompts];
    this.#view.showList(list, prompts);
    const at = prompts[this.#at - 1] ?? prompts.find(({ state }) => state === "open") ?? prompts[0];
    this.#go(at.number);
    if (isFirst && (await this.#microphone.isGranted()) && !this.#end.signal.aborted) await this.#microphone.start();
  }

  #main() {
    if (this.#mode === "recording") this.#finish();
    else if (this.#mode === "ready") this.#begin();
    else if (["off", "failed"].includes(this.#mode)) this.#microphone.start();
  }

  #begin() {
    player.pause();
    this.#problem = this.#unsaved = null;
    this.#recording = this.#microphone.begin();
    this.#update();
  }

  async #finish() {
    const sound = this.#recording;
    this.#saving = this.#microphone.end();
    this.#update();
    await this.#saving;
    this.#saving = null;
    if (this.#recording !== sound) return; // it was lost at the last moment
    this.#recording = null;
    await this.#keep(sound);
  }

  /** Save a sound as the take of this sentence, and show the verdict. */
  async #keep(sound) {
    this.#takes.add(this.#at, sound);
    this.#unsaved = this.#problem = null;
    this.#saving = saveTake(this.#names, this.#at, wavFile(sound));
    this.#update();
    try {
      this.#change(await this.#saving);
    } catch (problem) {
      this.#unsaved = sound;
      this.#problem = [problem.message, t("record.unsaved")];
    } finally {
      this.#saving = null;
      this.#update();
    }
  }

  #discard() {
    if (!this.#recording || this.#saving) return;
    this.#microphone.cancel();
    this.#recording = null;
    this.#update();
  }

  #redo() {
    if (this.#mode === "ready" && this.#prompt.take) this.#begin();
  }

  async #next() {
    await this.#saving?.catch(() => null);
    if (this.#unsaved) return this.#keep(this.#unsaved);
    if (this.#recording || !this.#prompt.take) return;
    this.#goOn();
  }

  async #skip() {
    if (this.#recording || this.#saving || this.#prompt.state === "recorded") return;
    const { number, state } = this.#prompt;
    try {
      this.#change(await skipPrompt(this.#names, number, state !== "skipped"));
      if (state !== "skipped") this.#goOn();
    } catch (problem) {
      this.#problem = [problem.message];
      this.#update();
    }
  }

  #play() {
    const sound = this.#takes.of(this.#prompt);
    if (sound?.complete && !this.#recording) player.toggle(sound);
  }

  /** To the next sentence that is still open, or else the first one. */
  #goOn() {
    const open = this.#prompts.filter(({ state }) => state === "open");
    const next = open.find(({ number }) => number > this.#at) ?? open[0];
    if (next) return this.#go(next.number);
    this.#problem = null;
    this.#view.say(t("record.all_done"));
  }

  #go(number) {
    if (this.#recording || this.#saving || this.#unsaved || !this.#prompts[number - 1]) return;
    if (number !== this.#at) player.pause();
    [this.#at, this.#problem] = [number, null];
    history.replaceState(null, "", addressOf(this.#names, number));
    this.#view.mark(number);
    this.#update();
  }

  /** What the server answered about one sentence. */
  #change({ list, prompt }) {
    this.#list = list;
    this.#prompts[prompt.number - 1] = prompt;
    this.#view.showChange(list, prompt, this.#at);
    this.#update();
  }

  #update() {
    if (!this.#list || this.#end.signal.aborted) return;
    const sound = this.#recording ?? this.#takes.of(this.#prompt);
    const problem = this.#problem ?? (this.#prompt.take ? null : this.#microphone.problem);
    this.#view.update({ prompt: this.#prompt, list: this.#list, mode: this.#mode, sound, problem });
  }

  #hear() {
    this.#view.hear(this.#mode);
    if (this.#recording?.seconds > MOST_SECONDS && !this.#saving) this.#finish();
  }
}
