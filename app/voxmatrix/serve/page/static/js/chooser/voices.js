// The voices that can be chosen, and what they are called: by one name everywhere.

import { read } from "../api.js";
import { t } from "../i18n.js";
import { joined, language } from "../words.js";

/** Those of this server, the default one first. */
export const readVoices = async () => (await read("v1/audio/voices")).voices;

/** The voice of a name, which may be that of a speaker of it: "ID:SPEAKER". */
export const voiceOf = (voices, name) => voices.find(({ id }) => name === id || name?.startsWith(`${id}:`));

/** The title of a voice, with its id where another one is called the same. */
export const titleOf = (voice, voices) =>
  voices.some(({ id, title }) => id !== voice.id && title === voice.title) ? `${voice.title} (${voice.id})` : voice.title;

/** What people see for a name that requests use. */
export function labelOf(name, voices) {
  const voice = voiceOf(voices, name);
  return voice ? joined(titleOf(voice, voices), name.slice(voice.id.length + 1)) : t("cast.missing", { voice: name });
}

const GENDERS = { female: "chooser.female", male: "chooser.male" };

/** Its gender, in a word; "" if it is not known. */
export const genderOf = ({ gender }) => (GENDERS[gender] ? t(GENDERS[gender]) : (gender ?? ""));

/** Its language and gender. */
export const factsOf = (voice) => joined(language(voice.language), genderOf(voice));

/** Whether all words that somebody searches for are said of it. */
export function matches(voice, search) {
  const about = `${voice.id} ${voice.title} ${factsOf(voice)} ${voice.quality} ${voice.gender ?? ""}`.toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => about.includes(word));
}

/** "en-us" → "en" */
export const base = (code) => code.toLowerCase().split(/[-_]/)[0];
