// What the page asks the server for about jobs, and files for them.

import { ask, read } from "../api.js";
import { save } from "../dom.js";
import { heldKey } from "../key.js";

const ALL = "v1/jobs";
export const pathOf = (id, ...rest) => [ALL, id, ...rest].join("/");
const post = (path, body) => read(path, { method: "POST", body });

export const ENDED = ["done", "failed", "cancelled"];

/** `body` as in docs/api.md; the job. */
export const createJob = (body) => post(ALL, body);
/** `{data: [job], has_more}`, newest first; `query` may hold `limit`, `after` and `kind`. */
export const listJobs = (query = {}) => read(`${ALL}?${new URLSearchParams(query)}`);
/** The job with its `files`. */
export const getJob = (id) => read(pathOf(id));
export const cancelJob = (id) => post(pathOf(id, "cancel"));
export const resumeJob = (id) => post(pathOf(id, "resume"));
export const deleteJob = (id) => ask(pathOf(id), { method: "DELETE" });

/** Show a job in the tab Train. */
export const showInTrain = ({ id }) => (location.hash = `#/train/${id}`);

/** The address of a file of a job. */
export const fileUrl = (id, name) => pathOf(id, "files", ...name.split("/").map(encodeURIComponent));
/** What a job of speech has spoken so far and, as it comes, the rest. */
export const readLive = (id) => ask(pathOf(id, "live"));
/** A file of a job, as the answer to a request. */
export const readFile = (id, name) => ask(fileUrl(id, name));

/** For `onclick` of a link to a file: the link itself sends no key. */
export async function onDownload(event) {
  if (!heldKey()) return;
  event.preventDefault();
  const { href, download } = event.currentTarget;
  save(await (await ask(href)).blob(), download);
}
