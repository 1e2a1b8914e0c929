// The files of a job, read when they are wanted.

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { clip } from "../sound/clip.js";
import { size } from "../words.js";
import { fileUrl, getJob, onDownload, readFile } from "./api.js";

const SOUND = /\.(wav|mp3|flac|ogg|opus|m4a|m4b)$/;
/** A longer file takes much memory when it is decoded; it can be downloaded. */
const MOST_BYTES = 20 * 2 ** 20;

/** `signal` ends the life of what it shows. */
export function results(signal) {
  let job = null;
  const list = el("ul", { class: "files" });
  const element = el("details", { class: "results", ontoggle: () => element.open && load() }, el("summary", {}, t("jobs.files")), list);

  async function load() {
    try {
      const { files } = await getJob(job.id);
      const known = [...list.children].map((item) => item.dataset.name);
      if (known.join("\n") === files.map(({ name }) => name).join("\n")) return;
      list.replaceChildren(...files.map((file) => fileRow(job.id, file, signal)));
    } catch (problem) {
      list.replaceChildren(el("li", { class: "problem" }, problem.message));
    }
  }
  function update(newer) {
    const changed = job?.state !== newer.state;
    job = newer;
    element.hidden = job.state === "queued";
    if (changed && element.open) load();
  }
  return { element, update };
}

/** A file of a job: its name is a link, and sound can be heard. */
function fileRow(job, { name, bytes }, signal) {
  const isSound = SOUND.test(name) && bytes <= MOST_BYTES;
  return el("li", { "data-name": name },
    el("a", { href: fileUrl(job, name), download: name.split("/").at(-1), onclick: onDownload }, name),
    el("span", { class: "note number" }, size(bytes)),
    isSound && clip({ label: name, load: () => readFile(job, name), signal }));
}
