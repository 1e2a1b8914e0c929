// What is said about a job.

import { duration } from "../words.js";

export const KINDS = {
  speech: "Speech", book: "Audiobook", train: "Training", prepare: "Check of recordings", export: "Export of a voice", benchmark: "Benchmark",
};
const STATES = {
  queued: ["", "Waiting"],
  running: ["good", "Running"],
  done: ["good", "Done"],
  failed: ["bad", "Failed"],
  cancelled: ["", "Cancelled"],
};
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** How good its state is (a class), and the word for it. */
export const stateOf = ({ state, kind }) => (state === "cancelled" && kind === "train" ? ["", "Stopped"] : STATES[state]);

/** "42 % · about 3 min left" */
export function facts({ state, progress, seconds_left: left, created, started, ended }) {
  if (state === "queued") return "It starts when the jobs before it have ended.";
  if (state === "running") {
    return [`${Math.floor(100 * progress)} %`, left == null ? "" : `about ${duration(left)} left`].filter(Boolean).join(" · ");
  }
  const when = day.format(1000 * (ended ?? created));
  return started && ended ? `${when} · took ${duration(ended - started)}` : when;
}
