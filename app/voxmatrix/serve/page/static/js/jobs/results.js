// The files of a job, read when they are wanted.

import { el } from "../dom.js";
import { t } from "../i18n.js";
import { clip } from "../sound/clip.js";
import { size } from "../words.js";
import { heldKey } from "../key.js";
import { fileUrl, getJob, onDownload, readFile, readLive } from "./api.js";

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

/** What a job of speech says, to be heard at once: also while it is being made. */
export function heard(signal) {
  const element = el("div", { class: "heard" });
  let job = null;
  let grows = false; // whether what was asked for is being made

  /** A WAV is heard as it comes; what is small is decoded, and the browser plays the rest by itself. */
  async function load() {
    const { state, files } = await getJob(job.id);
    grows = state === "running";
    if (grows) return readLive(job.id);
    const speech = files.find(({ name }) => SOUND.test(name));
    if (!isWav() && speech.bytes > MOST_BYTES) {
      const audio = await native(job, speech.name);
      element.replaceChildren(audio);
      audio.play();
      throw new Error(); // nothing is left for the clip
    }
    return readFile(job.id, speech.name);
  }
  const isWav = () => grows || (job.request.format ?? "mp3") === "wav";
  function update(newer) {
    const changed = job?.state !== newer.state;
    const playing = element.querySelector(".playing");
    job = newer;
    if (job.kind === "speech" && changed && !playing && ["running", "done"].includes(job.state)) element.replaceChildren(clip({ label: job.title, load, streams: isWav, signal }));
  }
  return { element, update };
}

/** The browser's own player: it reads what it plays, and seeks. */
async function native({ id, title }, name) {
  const src = heldKey() ? URL.createObjectURL(await (await readFile(id, name)).blob()) : fileUrl(id, name); // it sends no key
  return el("audio", { controls: true, preload: "none", src, "aria-label": title });
}

/** A file of a job: its name is a link, and sound can be heard. */
function fileRow(job, { name, bytes }, signal) {
  const isSound = SOUND.test(name) && bytes <= MOST_BYTES;
  return el("li", { "data-name": name },
    el("a", { href: fileUrl(job, name), download: name.split("/").at(-1), onclick: onDownload }, name),
    el("span", { class: "note number" }, size(bytes)),
    isSound && clip({ label: name, load: () => readFile(job, name), signal }));
}
