// What an answer with words holds.

/** A word stands within so many characters after the one before it: between them are marks that are not read out. */
const WINDOW = 300;

/** The words of an event with their places in the text between `from` and `end`; `start` is when the answer begins. */
export function placed(words, text, from, end, start) {
  const found = [];
  for (const { word, start: begins, end: ends } of words) {
    const at = text.indexOf(word, from);
    if (at < 0 || at > from + WINDOW || at + word.length > end) continue;
    from = at + word.length;
    found.push({ at, length: word.length, start: start + begins, end: start + ends });
  }
  return found;
}

/** The bytes of a text in base 64. */
export const bytesOf = (encoded) => Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));

/** The last word that has begun at this time; -1 before the first. */
export function wordAt(words, seconds) {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle].start <= seconds) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
