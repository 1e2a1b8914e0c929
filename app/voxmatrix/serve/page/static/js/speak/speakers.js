// Who speaks in a text: tags, lines with a name, plays.

const TAG = /\[voice:\s*([^[\]\n|:]{1,100}?)\s*\]/gi;
/** `Anna: Hello.`, and as plays print it: `ANNA. Hello.` */
const LINE = /^[ \t]*(\p{Lu}[\p{L}\p{M}'’.-]*(?: [\p{L}\p{M}'’.-]+){0,3}?)[ \t]*:[ \t]+(?=\S)/gmu;
const PLAY = /^[ \t]*(\p{Lu}[\p{Lu}\p{M}'’-]+(?: [\p{Lu}\p{M}'’-]+){0,3})\.[ \t]+(?=\p{Lu}|\p{P})/gmu;
const MOST = 100; // that the server takes

/** The names in a text, as they are written first, and those of a play, whose lines have no colon yet. */
export function speakersIn(text) {
  const found = (pattern) => [...text.matchAll(pattern)].map(([, name]) => name);
  const lines = found(LINE);
  const played = found(PLAY);
  const names = [...found(TAG), ...(lines.length > 1 ? lines : [])];
  return { names: unique(names).slice(0, MOST), played: played.length > 1 ? unique(played) : [] };
}

/** Lines of a play as the server reads them. */
export const withColons = (text) => text.replace(PLAY, "$1: ");

const unique = (names) => [...new Map(names.map((name) => [name.toLowerCase(), name]).reverse()).values()].reverse();
