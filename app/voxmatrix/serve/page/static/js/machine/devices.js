// The devices of a computer: its processor and its GPUs, each with a verdict.

import { el, note } from "../dom.js";
import { count, joined, memory } from "../words.js";

const VERDICTS = {
  native: ["good", "Works"],
  "ptx-jit": ["fair", "Works, after a slow first start"],
  unsupported: ["bad", "Does not work with this torch"],
  "driver-too-old": ["bad", "Its driver is too old"],
  null: ["fair", "Unknown"],
};

export function devices({ machine, gpus }) {
  const cards = gpus.map((assessed, at) => gpuCard(machine.gpus[at], assessed));
  return el("div", { class: "devices" }, cards, processor(machine, gpus.length > 0));
}

function gpuCard(gpu, { verdict, reason, remedy, image, advice }) {
  const [quality, words] = VERDICTS[verdict];
  const facts = [gpu.capability && `capability ${gpu.capability}`, gpu.target, gpu.driver && `driver ${gpu.driver}`, gpu.mig && "MIG slice"];
  return el("article", { class: "device" },
    el("header", {}, el("h2", {}, gpu.name), el("span", { class: `verdict ${quality}` }, words)),
    note(joined(`GPU ${gpu.index}`, ...facts)),
    memoryBar(gpu.unified ? "Memory, shared with the processor" : "Memory", gpu.memory_mib, gpu.free_mib),
    el("p", {}, reason),
    remedy && el("p", { class: "remedy" }, remedy),
    el("dl", {}, el("dt", {}, "Suitable image"), el("dd", {}, el("code", {}, image))),
    advice.length > 0 && el("details", {}, el("summary", {}, "More about it"), el("ul", {}, advice.map((line) => el("li", {}, line)))));
}

function processor(machine, hasGpus) {
  const torch = machine.torch ? `torch ${machine.torch.version}` : "torch is not installed";
  const place = [machine.platform, machine.architecture, machine.wsl && "WSL2", machine.container && "in a container"];
  return el("article", { class: "device" },
    el("header", {}, el("h2", {}, machine.cpu || "Processor"), el("span", { class: "verdict good" }, "Works")),
    note(joined(count(machine.cpus, "CPU"), ...place)),
    memoryBar("Memory", machine.memory_mib, machine.available_mib),
    !hasGpus && el("p", {}, "It speaks many times faster than real time. For training, a GPU is many times faster."),
    el("dl", {}, el("dt", {}, "Runs"), el("dd", {}, el("code", {}, torch)),
      el("dt", {}, "Image"), el("dd", {}, machine.image ? el("code", {}, machine.image) : "none: installed directly")));
}

/** How much is in use; unknown amounts are said to be unknown. */
function memoryBar(label, total, free) {
  if (!total) return note(`${label}: its size could not be read`);
  if (free == null) return note(`${label}: ${memory(total)}`);
  const text = `${memory(free)} free of ${memory(total)}`;
  return el("div", { class: "memory" },
    el("span", {}, label), el("span", { class: "number" }, text),
    el("meter", { min: 0, max: total, value: total - free, "aria-label": `${label} in use`, "aria-valuetext": text }));
}
