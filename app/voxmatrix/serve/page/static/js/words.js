// Numbers and codes as people read them.

const regions = new Intl.DisplayNames("en", { type: "language" });

/** 75.2 → "1:15.2" */
export function clock(seconds, digits = 1) {
  const scale = 10 ** digits;
  const rounded = Math.round(Math.max(0, seconds) * scale) / scale;
  const minutes = Math.floor(rounded / 60);
  return `${minutes}:${(rounded - 60 * minutes).toFixed(digits).padStart(digits ? 3 + digits : 2, "0")}`;
}

/** "en-us" → "American English". Codes that only espeak-ng knows stay as they are. */
export function language(code) {
  try {
    return regions.of(code);
  } catch {
    return code;
  }
}

/** 24105 → "23.5 GiB" */
export function memory(mib) {
  return mib < 1024 ? `${mib} MiB` : `${(mib / 1024).toFixed(mib < 102400 ? 1 : 0)} GiB`;
}

/** "effective_batch" → "effective batch" */
export const spaced = (name) => name.replaceAll("_", " ");

/** "one two three four" → "one two…" */
export function shortened(text, most) {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= most ? line : `${line.slice(0, line.lastIndexOf(" ", most) + 1 || most).trim()}…`;
}
