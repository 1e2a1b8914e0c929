// The devices of a computer: its processor and its GPUs, each with a verdict.

import { el, note } from "../dom.js";
import { t } from "../i18n.js";
import { joined, memory } from "../words.js";

const VERDICTS = {
  native: ["good", t("machine.native")],
  "ptx-jit": ["fair", t("machine.ptx")],
  unsupported: ["bad", t("machine.unsupported")],
  "driver-too-old": ["bad", t("machine.old_driver")],
  null: ["fair", t("machine.unknown")],
};

export function devices({ machine, gpus }) {
  const cards = gpus.map((assessed, at) => gpuCard(machine.gpus[at], assessed));
  return el("div", { class: "devices" }, cards, processor(machine, gpus.length > 0));
}

function gpuCard(gpu, { verdict, reason, remedy, image, advice }) {
  const [quality, words] = VERDICTS[verdict];
  const facts = [gpu.capability && t("machine.capability", { value: gpu.capability }), gpu.target, gpu.driver && t("machine.driver", { value: gpu.driver }), gpu.mig && t("machine.mig")];
  return el("article", { class: "device" },
    el("header", {}, el("h2", {}, gpu.name), el("span", { class: `verdict ${quality}` }, words)),
    note(joined(t("machine.gpu", { index: gpu.index }), ...facts)),
    memoryBar(t(gpu.unified ? "machine.memory_shared" : "machine.memory"), gpu.memory_mib, gpu.free_mib),
    el("p", {}, reason),
    remedy && el("p", { class: "remedy" }, remedy),
    el("dl", {}, el("dt", {}, t("machine.image_for")), el("dd", {}, el("code", {}, image))),
    advice.length > 0 && el("details", {}, el("summary", {}, t("machine.more")), el("ul", {}, advice.map((line) => el("li", {}, line)))));
}

function processor(machine, hasGpus) {
  const torch = machine.torch ? t("machine.torch", { version: machine.torch.version }) : t("machine.no_torch");
  const place = [machine.platform, machine.architecture, machine.wsl && "WSL2", machine.container && t("machine.container")];
  return el("article", { class: "device" },
    el("header", {}, el("h2", {}, machine.cpu || t("machine.processor")), el("span", { class: "verdict good" }, t("machine.native"))),
    note(joined(t("count.cpus", { count: machine.cpus }), ...place)),
    memoryBar(t("machine.memory"), machine.memory_mib, machine.available_mib),
    !hasGpus && el("p", {}, t("machine.speed")),
    el("dl", {}, el("dt", {}, t("machine.runs")), el("dd", {}, el("code", {}, torch)),
      el("dt", {}, t("machine.image")), el("dd", {}, machine.image ? el("code", {}, machine.image) : t("machine.no_image"))));
}

/** How much is in use; unknown amounts are said to be unknown. */
function memoryBar(label, total, free) {
  if (!total) return note(t("machine.memory_unknown", { label }));
  if (free == null) return note(t("machine.memory_total", { label, total: memory(total) }));
  const text = t("machine.memory_free", { free: memory(free), total: memory(total) });
  return el("div", { class: "memory" },
    el("span", {}, label), el("span", { class: "number" }, text),
    el("meter", { min: 0, max: total, value: total - free, "aria-label": t("machine.memory_used", { label }), "aria-valuetext": text }));
}
