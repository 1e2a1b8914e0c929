// The chapters of an audiobook, each with the file it is in, or none until it is spoken.

import { t } from "../i18n.js";
import { readFile } from "../jobs/api.js";
import { contentsOf } from "./contents.js";
import { numbersOf } from "./ranges.js";

const CERTIFICATE = /\.manifest\.json$/;
const WHOLE = /\.m4b$/;
const OF_CHAPTER = /\/(\d+)[^/]*\.(mp3|m4a|opus|ogg|flac)$/;

/** The certificate of a complete audiobook. */
export async function certificateOf(job) {
  const { name } = job.files.find((file) => CERTIFICATE.test(file.name));
  return (await readFile(job.id, name)).json();
}

/** The chapters, as `{index, title, seconds, file, start}`: where in the file it begins, in seconds. */
export function completeChapters(job, certificate) {
  const whole = job.files.find(({ name }) => WHOLE.test(name))?.name;
  const files = filesByNumber(job.files);
  return certificate.chapters.map(({ index, title, seconds, start_seconds: start }) => {
    const shown = title.trim() || t("book.chapter", { number: String(index) });
    return whole ? { index, title: shown, seconds, file: whole, start } : { index, title: shown, seconds, file: files.get(index), start: 0 };
  });
}

/** The same, while it is made; how long a chapter is, is a guess. */
export async function growingChapters(job, signal) {
  const { chapters, titles = {} } = job.request;
  const contents = await contentsOf({ job: job.id }, signal);
  const wanted = numbersOf(chapters, contents.chapters.length);
  const files = filesByNumber(job.files);
  return contents.chapters
    .filter(({ index }) => wanted.has(index))
    .map(({ index, title, seconds }) => ({ index, title: titles[index] ?? (title.trim() || t("book.chapter", { number: String(index) })), seconds, file: files.get(index), start: 0 }));
}

function filesByNumber(files) {
  const found = files.map(({ name }) => [OF_CHAPTER.exec(name), name]).filter(([match]) => match);
  return new Map(found.map(([match, name]) => [Number(match[1]), name]));
}
