// When the server does not answer: say so, and ask until it does.

import { byId } from "./dom.js";
import { t } from "./i18n.js";

const EVERY_MS = 2000;
const listeners = [];
let waiting = false;

/** Call this when the server is back. */
export const onBack = (listener) => listeners.push(listener);

/** A request got no answer. */
export function lost() {
  if (waiting) return;
  waiting = true;
  show(t("server.lost"));
  setTimeout(tryAgain, EVERY_MS);
}

async function tryAgain() {
  const answer = await fetch("readyz").catch(() => null);
  // A proxy may answer while the server behind it does not.
  const state = answer && (await answer.json().catch(() => null));
  if (!state) return setTimeout(tryAgain, EVERY_MS);
  if (!state.ready) {
    show(t("server.starting", { reasons: state.reasons.join("; ") }));
    return setTimeout(tryAgain, EVERY_MS);
  }
  waiting = false;
  show("");
  listeners.forEach((listener) => listener());
}

function show(message) {
  byId("connection").textContent = message;
}
