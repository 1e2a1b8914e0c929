// What is in a book: asked for once, and kept while the page is open.

import { read } from "../api.js";

const known = new Map();
const inspect = (body) => read("v1/books/inspect", { body });

/** The contents of a book; `source` is `{file: ID}` or, of an audiobook, `{job: ID}`. */
export async function contentsOf(source) {
  const key = JSON.stringify(source);
  if (!known.has(key)) known.set(key, await inspect(source));
  return known.get(key);
}

const speeds = new Map();

/** How many times faster than real time a voice is spoken here. */
export function speedOf(source, voice) {
  if (!speeds.has(voice)) {
    const asked = inspect({ ...source, voice }).then(({ speed }) => speed);
    asked.catch(() => speeds.delete(voice));
    speeds.set(voice, asked);
  }
  return speeds.get(voice);
}
