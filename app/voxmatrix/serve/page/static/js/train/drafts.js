// Recordings that were checked, or are being checked, and that no voice was trained on yet.

import { el, note } from "../dom.js";
import { t } from "../i18n.js";
import { listJobs } from "../jobs/api.js";
import { dated, KINDS, stateOf } from "../jobs/words.js";
import { joined } from "../words.js";

const SHOWN = 6;
const LEADING = ["prepare", "segment"];
/** What a job works with, which it hands on to those that follow it. */
const materialOf = ({ request: { file, files, recordings, job } }) => JSON.stringify([file, files, recordings, job]);

/** They are put into `place`, which is empty if there are none. `signal` ends that. */
export async function showDrafts(place, signal) {
  const { data } = await listJobs([...LEADING, "train", "distil"].map((kind) => ["kind", kind]).concat([["limit", "100"]])).catch(() => ({ data: [] }));
  if (signal.aborted) return;
  const followed = new Set(data.filter(({ kind }) => !LEADING.includes(kind)).map(materialOf));
  const cut = new Set(data.map(({ request }) => request.job));
  const drafts = data.filter((job) => LEADING.includes(job.kind) && ["done", "running", "queued"].includes(job.state) && !followed.has(materialOf(job)) && !cut.has(job.id));
  place.replaceChildren(...(drafts.length ? [el("h2", { class: "shelf-heading" }, t("train.drafts")), el("ul", { class: "lists" }, drafts.slice(0, SHOWN).map(draft))] : []));
}

/** A link to what was found in the recordings that a job learns from, once they were checked; else nothing is seen. */
export function checkLink(job) {
  const element = note();
  element.className = "note see-check";
  listJobs({ kind: "prepare", limit: 100 }).then(({ data }) => {
    const check = data.find((each) => each.state === "done" && materialOf(each) === materialOf(job));
    if (check) element.append(el("a", { href: `#/train/${check.id}` }, t("train.see_check")));
  }, () => {}); // without it, a training is shown as well
  return element;
}

function draft(job) {
  const [quality, words] = stateOf(job);
  return el("li", {}, el("a", { class: "list", href: `#/train/${job.id}` },
    el("h3", {}, job.title),
    note(joined(KINDS[job.kind], dated(job.created))),
    el("p", {}, el("span", { class: `verdict ${quality}` }, words))));
}
