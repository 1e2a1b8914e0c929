// A voice of the library for a language that no voice here speaks.

import { read } from "../api.js";
import { el, note } from "../dom.js";
import { t } from "../i18n.js";
import { Offer } from "../voices/library.js";

const BEST = ["medium", "high", "low", "x_low"];
const ASKED = 4; // voices whose licence is looked at

/** The voice to download that suits most; `done` is called with its id when it is here. */
export async function offerVoice(code, done) {
  try {
    const { voices, problem } = await read(`v1/library?language=${encodeURIComponent(code)}`);
    const rank = ({ quality }) => BEST.indexOf(quality) >>> 0; // others last
    const found = voices.filter(({ speakers, together }) => speakers === 1 && !together).sort((one, other) => rank(one) - rank(other));
    const voice = await freest(found.slice(0, ASKED));
    if (!voice) return note(problem ?? t("speak.no_offer"));
    return el("ul", { class: "voice-cards" }, new Offer(voice, () => done(voice.id)).element);
  } catch (problem) {
    return el("p", { class: "problem" }, problem.message);
  }
}

/** The first one whose licence allows every use, else the first. */
async function freest(voices) {
  for (const voice of voices) {
    const { permissive, license } = await read(`v1/library/${voice.id}`);
    if (permissive) return { ...voice, license };
  }
  return voices[0];
}
