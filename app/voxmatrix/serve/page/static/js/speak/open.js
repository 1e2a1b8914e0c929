// A file that is opened in the tab Speak: text is shown there, a book goes to the tab Book.

import { upload } from "../jobs/upload.js";

const TEXT = /\.(txt|md|markdown|text)$/i;
/** Characters: what is longer is a book. */
const MOST = 1e6;

/** The text of a file, or null after it went to the tab Book. */
export async function textOf(file, onProgress) {
  if (TEXT.test(file.name) && file.size <= MOST) return decoded(await file.arrayBuffer());
  const { id } = await upload(file, onProgress);
  location.hash = `#/book/file/${id}`;
  return null;
}

function decoded(bytes) {
  const marked = new Uint8Array(bytes);
  if (marked[0] === 0xff && marked[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
