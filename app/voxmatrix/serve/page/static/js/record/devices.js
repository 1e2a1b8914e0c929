// The microphone to choose and its level.

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { Meter } from "./meter.js";

export class Devices {
  #select = el("select", { "aria-label": t("record.microphone") });
  #meter = new Meter();

  constructor(microphone) {
    this.microphone = microphone;
    this.#select.addEventListener("change", () => microphone.start(this.#select.value));
    this.element = el("div", { class: "devices-of" }, el("label", { class: "choice" }, el("span", {}, t("record.microphone")), this.#select), this.#meter.element);
  }

  update(mode) {
    const { devices, chosen } = this.microphone;
    const options = devices.map(({ deviceId, label }) => el("option", { value: deviceId }, label));
    this.#select.replaceChildren(...(options.length ? options : [el("option", { value: "" }, t("record.not_on"))]));
    this.#select.value = options.length ? chosen : "";
    this.#select.disabled = !options.length || mode === "recording" || mode === "saving";
    this.hear(mode);
  }

  hear(mode) {
    this.#meter.show(this.microphone.level, mode, this.microphone.problem?.[0]);
  }
}
