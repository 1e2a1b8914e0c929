// What is said about a job.

import { LOCALE, t } from "../i18n.js";
import { duration, joined } from "../words.js";

export const KINDS = {
  speech: t("jobs.kind_speech"),
  book: t("jobs.kind_book"),
  train: t("jobs.kind_train"),
  prepare: t("jobs.kind_prepare"),
  segment: t("jobs.kind_segment"),
  distil: t("jobs.kind_distil"),
  export: t("jobs.kind_export"),
  benchmark: t("jobs.kind_benchmark"),
  download: t("jobs.kind_download"),
};
const STATES = {
  queued: ["", t("jobs.queued")],
  running: ["good", t("jobs.running")],
  done: ["good", t("jobs.done")],
  failed: ["bad", t("jobs.failed")],
  cancelled: ["", t("jobs.cancelled")],
};
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" });

/** 1795383652 → "22 Nov 2026, 21:40" */
export const dated = (seconds) => day.format(1000 * seconds);

/** Whether it could end otherwise: not with the same bad file, unless it learns further. */
export const isResumable = ({ state, error, request, kind }) => state === "cancelled" || (state === "failed" && (kind === "distil" || !(error.exit_code === 3 && (request.file || request.files))));

/** How good its state is (a class), and the word for it. */
export const stateOf = ({ state, kind }) => (state === "cancelled" && kind === "train" ? ["", t("jobs.stopped")] : STATES[state]);

/**
 * "42 % · about 3 min left"
 * @param {Record<string, any>} job
 */
export function facts({ state, progress, seconds_left: left, created, started, ended, work, done, total }) {
  if (state === "queued") return t("jobs.queued_why");
  if (state === "running") {
    if (!progress && done) return t("jobs.work", { percent: Math.floor((100 * done) / total), work });
    return joined(t("jobs.percent", { percent: Math.floor(100 * progress) }), left != null && t("jobs.left", { duration: duration(left) }));
  }
  const when = dated(ended ?? created);
  return started && ended ? t("jobs.took", { when, duration: duration(ended - started) }) : when;
}

const TABS = { book: "book", train: "train", prepare: "train", segment: "train", distil: "train" };

/** Where more is shown of a job; undefined if its card is all there is. */
export const addressOf = ({ kind, id }) => TABS[kind] && `#/${TABS[kind]}/${id}`;
