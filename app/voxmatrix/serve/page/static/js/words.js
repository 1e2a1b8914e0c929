// Numbers and codes as people read them.

import { decimal, LOCALE, t } from "./i18n.js";

/** A guess, until something is spoken. */
export const CHARACTERS_PER_SECOND = 13;
const PLAIN = { ß: "ss", æ: "ae", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", œ: "oe" };
const regions = new Intl.DisplayNames(LOCALE, { type: "language" });

/** 75.2 → "1:15.2" */
export function clock(seconds, digits = 1) {
  const scale = 10 ** digits;
  const rounded = Math.round(Math.max(0, seconds) * scale) / scale;
  const minutes = Math.floor(rounded / 60);
  return `${minutes}:${decimal(rounded - 60 * minutes, digits).padStart(digits ? 3 + digits : 2, "0")}`;
}

/** "en-us" → "American English". Codes that only espeak-ng knows stay as they are. */
export function language(code) {
  try {
    return regions.of(code);
  } catch {
    return code;
  }
}

/** That of these languages in which the page is read; the first if none of them is. */
export const ownLanguage = (codes) =>
  codes.find((code) => code.toLowerCase() === LOCALE.toLowerCase()) ?? codes.find((code) => code.split("-")[0] === LOCALE.split("-")[0]) ?? codes[0];

/** A time to wait, roughly: 40 → "40 s", 400 → "7 min", 9000 → "2 h 30 min" */
export function duration(seconds) {
  if (seconds < 90) return t("time.seconds", { seconds: Math.max(1, Math.round(seconds)) });
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return t("time.minutes", { minutes });
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? t("time.hours", { hours, minutes: minutes % 60 }) : t("time.days", { count: Math.round(hours / 24) });
}

/** An amount of speech in a word: 60 → "1 minute", 18000 → "5 hours" */
export function amountOf(seconds) {
  const [value, unit] = seconds < 7200 ? [seconds / 60, "minute"] : [seconds / 3600, "hour"];
  return value.toLocaleString(LOCALE, { style: "unit", unit, unitDisplay: "long" });
}

const UNITS = ["B", "KiB", "MiB", "GiB"];

/** 1500000 → "1.4 MiB" */
export function size(bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit < UNITS.length - 1; unit++) bytes /= 1024;
  return `${decimal(bytes, unit && bytes < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

/** 24105 → "23.5 GiB" */
export function memory(mib) {
  return mib < 1024 ? `${mib} MiB` : `${decimal(mib / 1024, mib < 102400 ? 1 : 0)} GiB`;
}

/** 49 of 100 → "49%" */
export const percent = (part, all) => (all ? part / all : 0).toLocaleString(LOCALE, { style: "percent" });

/** A message as a sentence. The name of a file begins as it does. */
export function sentence(words) {
  const said = /^[^:;]{0,120}\.\w{2,5}\b/.test(words) ? words : words[0].toUpperCase() + words.slice(1);
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

/** What there is of these, in one line. */
export const joined = (...facts) => facts.filter(Boolean).join(" · ");

/** "effective_batch" → "effective batch" */
export const spaced = (name) => name.replaceAll("_", " ");

/** "one two three four" → "one two…" */
export function shortened(text, most) {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= most ? line : `${line.slice(0, line.lastIndexOf(" ", most) + 1 || most).trim()}…`;
}

/** "Ann / First list" → "Ann-First-list" */
export const voiceName = (title) => title.replace(/[ßæøłđðþœ]/gi, (letter) => PLAIN[letter.toLowerCase()]).normalize("NFKD").replace(/\p{M}/gu, "").replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[-_]+|-+$/g, "").slice(0, 64);
