// What is in a book, and how fast a voice reads it: asked for once, and kept while the page is open.

import { read } from "../api.js";

const known = new Map();
const speeds = new Map();

/** The contents of a book; `source` is `{file: ID}` or, of an audiobook, `{job: ID}`. `signal` ends the request. */
export async function contentsOf(source, signal) {
  const key = JSON.stringify(source);
  if (!known.has(key)) known.set(key, await read("v1/books/inspect", { body: source, signal }));
  return known.get(key);
}

/** How many seconds of speech a voice gives in a second here: `speed` now, and `speed_if_free` while nothing else is done. */
export async function speedOf(voice, signal) {
  if (!speeds.has(voice)) speeds.set(voice, await read("v1/voices/speed", { body: { voice }, signal }));
  return speeds.get(voice);
}
