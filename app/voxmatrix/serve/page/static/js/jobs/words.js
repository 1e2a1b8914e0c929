// What is said about a job.

import { duration, joined } from "../words.js";

export const KINDS = {
  speech: "Speech", book: "Audiobook", train: "Training", prepare: "Check of recordings", segment: "Clips of a recording", distil: "Small voice", export: "Export of a voice", benchmark: "Benchmark", download: "Download of a voice",
};
const STATES = {
  queued: ["", "Waiting"],
  running: ["good", "Running"],
  done: ["good", "Done"],
  failed: ["bad", "Failed"],
  cancelled: ["", "Cancelled"],
};
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** 1795383652 → "22 Nov 2026, 21:40" */
export const dated = (seconds) => day.format(1000 * seconds);

/** Whether it could end otherwise: not with the same bad file, unless it learns further. */
export const isResumable = ({ state, error, request, kind }) => state === "cancelled" || (state === "failed" && (kind === "distil" || !(error.exit_code === 3 && (request.file || request.files))));

/** How good its state is (a class), and the word for it. */
export const stateOf = ({ state, kind }) => (state === "cancelled" && kind === "train" ? ["", "Stopped"] : STATES[state]);

/**
 * "42 % · about 3 min left"
 * @param {Record<string, any>} job
 */
export function facts({ state, progress, seconds_left: left, created, started, ended, work, done, total }) {
  if (state === "queued") return "It starts when the jobs before it have ended.";
  if (state === "running") {
    if (!progress && done) return `${Math.floor((100 * done) / total)} % · ${work}`;
    return joined(`${Math.floor(100 * progress)} %`, left != null && `about ${duration(left)} left`);
  }
  const when = dated(ended ?? created);
  return started && ended ? `${when} · took ${duration(ended - started)}` : when;
}

const TABS = { book: "book", train: "train", prepare: "train", segment: "train", distil: "train" };

/** Where more is shown of a job; undefined if its card is all there is. */
export const addressOf = ({ kind, id }) => TABS[kind] && `#/${TABS[kind]}/${id}`;
