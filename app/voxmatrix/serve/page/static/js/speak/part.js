// A long text is spoken in parts: what a request may hold, and so that little is lost when one fails.

/** Characters. A sentence is rarely longer, and a server refuses none of these. */
const MOST = 1500;
const PARAGRAPH = /\n\s*\n/g;
const SENTENCE = /[.!?…。！？]["'”’»)\]]*\s+/g;
const SPACE = /\s+/g;

/** Where the part of a text that begins at `from` ends; `limit` is what the server takes. */
export function endOfPart(text, from, limit) {
  const most = Math.min(MOST, limit);
  if (text.length - from <= most) return text.length;
  const window = text.slice(from, from + most);
  for (const [ends, least] of [[PARAGRAPH, most / 2], [SENTENCE, 0], [SPACE, 0]]) {
    const last = [...window.matchAll(ends)].at(-1);
    if (last && last.index + last[0].length > least) return from + last.index + last[0].length;
  }
  const end = from + most;
  return /[\uD800-\uDBFF]/.test(text[end - 1]) ? end - 1 : end; // no character is cut in two
}

const TAGS = [/\[voice:[^\]\n]*\]/gi, /\[rate:[^\]\n]*\]/gi];

/** The tags before a part that hold for it as well. */
export const tagsBefore = (text, from) => TAGS.map((tag) => text.slice(0, from).match(tag)?.at(-1) ?? "").join("");

/** SSML is one document. */
export const isWhole = (text) => /^\s*<speak[\s>]/i.test(text);
