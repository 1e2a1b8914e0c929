// The settings of a training, as the API names them.

import { t } from "../i18n.js";

/** What the training starts from, if it is no earlier one. */
export const SCRATCH = "scratch";
const SWITCH = { options: ["on", "off"] };
const COUNT = { least: 1 };

/** How long the training runs, and what does not depend on the computer. `reason` holds while nothing is entered. */
export const OWN = [
  { name: "epochs", ...COUNT, value: 1000, reason: t("train.epochs_why") },
  { name: "max_steps", label: t("train.max_steps"), ...COUNT, reason: t("train.max_steps_why") },
  { name: "start_from", label: t("train.start_from"), value: SCRATCH, reason: t("train.start_from_why") },
  { name: "learning_rate", least: 0, step: "any", reason: t("train.of_quality") },
  { name: "validate_every", label: t("train.sample_every"), ...COUNT, value: 100, reason: t("train.sample_every_why") },
  { name: "sample_text", label: t("train.sample_text"), free: true, reason: t("train.sample_text_why") },
  { name: "patience", label: t("train.patience"), ...COUNT, reason: t("train.patience_why") },
  { name: "judge", label: t("train.judge"), options: ["", "base", "small", "large-v3"], reason: t("train.judge_why") },
];

/** What the plan of this computer chooses. The first are always shown. */
export const PLANNED = [
  { name: "device" },
  { name: "precision", options: ["fp32", "bf16", "fp16"] },
  { name: "batch_size", ...COUNT },
  { name: "accumulation", ...COUNT },
  { name: "gradient_checkpointing", ...SWITCH },
  { name: "compile", ...SWITCH },
  { name: "graphs", ...SWITCH },
  { name: "tf32", ...SWITCH },
  { name: "cudnn_benchmark", ...SWITCH },
  { name: "devices", ...COUNT },
  { name: "workers", least: 0 },
  { name: "prepare_workers", ...COUNT },
];
export const FIRST = ["start_from", "epochs", "device", "precision", "batch_size", "learning_rate"];
export const QUALITIES = ["tiny", "x_low", "low", "fast_x_low", "fast", "medium", "high"];

/** A value of the plan as it is entered. */
export const entered = (value) => ({ true: "on", false: "off" })[value] ?? String(value ?? "");

/** What was entered as the API wants it. */
export function sent({ name, options, least }, text) {
  if (name === "start_from") return { job: text };
  if (name === "workers" && text === "0") return "none";
  return options || least === undefined ? text : Number(text);
}
