// The microphone: which one, how loud it is, and what it hears. Its events are "change", "level" and, when it fails
// while it records, "lost".

import { t } from "../i18n.js";
import { Sound } from "../sound/sound.js";

const NAME = "voxmatrix-microphone";
const MODULE = new URL("capture.js", import.meta.url).href;
/** What browsers do for telephone calls spoils a recording. */
const UNTOUCHED = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
const PROBLEMS = {
  NotAllowedError: [t("record.not_allowed"), t("record.not_allowed_fix")],
  NotFoundError: [t("record.not_found"), t("record.not_found_fix")],
  NotReadableError: [t("record.not_readable"), t("record.not_readable_fix")],
  insecure: [t("record.insecure"), t("record.insecure_fix")],
};

export class Microphone extends EventTarget {
  state = "off"; // then: starting, and on or failed
  problem = null; // [what, remedy]
  devices = [];
  level = { peak: 0 };
  sound = null; // what is being recorded
  #stream = null;
  #context = null;
  #ended = null; // resolves when the last block of it is there

  constructor() {
    super();
    navigator.mediaDevices?.addEventListener("devicechange", this.#list);
  }

  /** What it does: off, starting, failed, ready or recording. */
  get mode() {
    return this.sound ? "recording" : this.state === "on" ? "ready" : this.state;
  }

  get chosen() {
    return this.#stream?.getAudioTracks()[0]?.getSettings().deviceId ?? "";
  }

  /** Whether it may be used without a question to the person. */
  async isGranted() {
    const asked = await navigator.permissions?.query({ name: "microphone" }).catch(() => null);
    return navigator.mediaDevices !== undefined && asked?.state === "granted";
  }

  async start(device = localStorage.getItem(NAME)) {
    this.#close();
    this.#become("starting");
    try {
      if (!navigator.mediaDevices) throw new DOMException("", "insecure");
      await this.#open(device);
    } catch (error) {
      this.#close();
      this.#become("failed", PROBLEMS[error.name] ?? [t("record.broken", { message: error.message }), t("record.broken_fix")]);
      return;
    }
    if (device) localStorage.setItem(NAME, device);
    this.#become("on");
    await this.#list();
  }

  stop() {
    navigator.mediaDevices?.removeEventListener("devicechange", this.#list);
    this.#close();
    this.#become("off");
  }

  /** Record from now on. */
  begin() {
    this.sound = new Sound(this.#context.sampleRate);
    return this.sound;
  }

  /** Stop, with what is still on its way from the microphone. */
  async end() {
    const sound = this.sound;
    await new Promise((resolve) => (this.#ended = resolve));
    this.#ended = null;
    this.sound = null;
    sound.end();
  }

  /** Stop, and keep nothing. */
  cancel() {
    this.sound = null;
  }

  async #open(device) {
    const audio = device ? { ...UNTOUCHED, deviceId: { ideal: device } } : UNTOUCHED;
    this.#stream = await navigator.mediaDevices.getUserMedia({ audio });
    this.#stream.getAudioTracks()[0].onended = () => this.#fail();
    this.#context = new AudioContext();
    await this.#context.audioWorklet.addModule(MODULE);
    await this.#context.resume();
    const capture = new AudioWorkletNode(this.#context, "capture", { numberOfOutputs: 0 });
    capture.port.onmessage = ({ data }) => this.#hear(data);
    this.#context.createMediaStreamSource(this.#stream).connect(capture);
  }

  #hear(samples) {
    let peak = 0;
    for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
    this.level = { peak };
    this.sound?.append(Int16Array.from(samples, (value) => Math.max(-32768, Math.min(32767, Math.round(value * 32768)))));
    this.dispatchEvent(new Event("level"));
    this.#ended?.();
  }

  #list = async () => {
    const all = await navigator.mediaDevices.enumerateDevices();
    this.devices = all.filter((each) => each.kind === "audioinput" && each.label);
    this.dispatchEvent(new Event("change"));
  };

  #fail() {
    this.#close();
    this.#become("failed", [t("record.disconnected"), t("record.disconnected_fix")]);
    this.dispatchEvent(new Event("lost"));
  }

  #close() {
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#context?.close();
    this.#stream = this.#context = this.sound = null;
    this.#ended?.();
    this.level = { peak: 0 };
  }

  #become(state, problem = null) {
    Object.assign(this, { state, problem });
    this.dispatchEvent(new Event("change"));
  }
}
