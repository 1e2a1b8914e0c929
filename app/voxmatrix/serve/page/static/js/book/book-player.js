// Plays the chapters of an audiobook one after the other, from files that may be too long to be decoded at once.

import { ask } from "../api.js";
import { fileUrl } from "../jobs/api.js";
import { heldKey } from "../key.js";
import { player } from "../sound/player.js";

/** Its events are "change" and, while it plays, "tick". */
export class BookPlayer extends EventTarget {
  chapters = [];
  at = 0; // the place of the chapter
  #audio = new Audio();
  #file = null; // that the audio has
  #blob = null;
  #wanted = false; // whether it is to be heard, also while a file is still on its way

  /** `signal` ends its life. */
  constructor(job, signal) {
    super();
    this.job = job;
    for (const name of ["play", "pause", "loadedmetadata", "error"]) this.#audio.addEventListener(name, () => this.#say("change"));
    this.#audio.addEventListener("play", () => player.pause());
    this.#audio.addEventListener("timeupdate", () => this.#onTime());
    this.#audio.addEventListener("ended", () => this.#next());
    player.addEventListener("change", () => player.playing && this.pause(), { signal });
    signal.addEventListener("abort", () => {
      this.pause();
      this.#audio.removeAttribute("src");
      this.#audio.load();
      URL.revokeObjectURL(this.#blob);
    });
  }

  get playing() {
    return !this.#audio.paused;
  }

  get failed() {
    return this.#file !== null && this.#audio.error !== null;
  }

  get chapter() {
    return this.chapters[this.at];
  }

  /** Where in the chapter it is, and how long that is, in seconds. */
  get place() {
    return this.#file && this.#file === this.chapter?.file ? Math.max(0, this.#audio.currentTime - this.chapter.start) : 0;
  }

  get seconds() {
    const whole = this.#file?.endsWith(".m4b") || this.#file !== this.chapter?.file;
    return (!whole && this.#audio.duration) || (this.chapter?.seconds ?? 0);
  }

  /** Other files for the same chapters: what is heard goes on. */
  show(chapters) {
    const { chapter, place } = this;
    this.chapters = chapters;
    const same = chapters.findIndex(({ index }) => index === chapter?.index);
    this.at = Math.max(0, same >= 0 ? same : chapters.findIndex(({ file }) => file));
    if (this.#file && this.chapter?.file && this.chapter.file !== this.#file) this.seek(place, { playing: this.#wanted });
    this.#say("change");
  }

  toggle() {
    if (this.playing) this.pause();
    else this.seek(this.place);
  }

  pause() {
    this.#wanted = false;
    this.#audio.pause();
    this.#say("change");
  }

  play(at) {
    this.at = at;
    return this.seek(0);
  }

  /** Go to this second of the chapter. */
  async seek(place, { playing = true } = {}) {
    const { file, start } = this.chapter;
    if (!file) return;
    this.#wanted = playing;
    if (file !== this.#file) await this.#open(file);
    if (file !== this.#file) return; // another one was asked for meanwhile
    this.#audio.currentTime = start + place;
    if (this.#wanted) await this.#audio.play().catch(() => this.#say("change"));
    this.#say("change");
  }

  async #open(file) {
    const url = fileUrl(this.job, file);
    this.#file = file;
    URL.revokeObjectURL(this.#blob);
    this.#blob = null;
    if (heldKey()) {
      // An audio element cannot send a key.
      const content = await ask(url).then((answer) => answer.blob(), () => null); // null: it is gone
      if (file !== this.#file || !content) return;
      this.#blob = URL.createObjectURL(content);
    }
    this.#audio.src = this.#blob ?? url;
  }

  #onTime() {
    const { start, seconds, file } = this.chapter;
    const following = this.chapters[this.at + 1];
    if (following?.file === file && this.playing && this.#audio.currentTime >= start + seconds) {
      this.at++;
      this.#say("change");
    }
    this.#say("tick");
  }

  #next() {
    if (this.chapters[this.at + 1]?.file) this.play(this.at + 1);
    else this.pause();
  }

  #say(what) {
    this.dispatchEvent(new Event(what));
  }
}
