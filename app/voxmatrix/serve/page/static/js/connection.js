// When the server does not answer: say so, and ask until it does.

import { byId } from "./dom.js";

const EVERY_MS = 2000;
const listeners = [];
let waiting = false;

/** Call this when the server is back. */
export const onBack = (listener) => listeners.push(listener);

/** A request got no answer. */
export function lost() {
  if (waiting) return;
  waiting = true;
  show("The server does not answer. Is voxmatrix serve still running? This page continues when it is back.");
  setTimeout(tryAgain, EVERY_MS);
}

async function tryAgain() {
  const answer = await fetch("readyz").catch(() => null);
  // A proxy may answer while the server behind it does not.
  const state = answer && (await answer.json().catch(() => null));
  if (!state) return setTimeout(tryAgain, EVERY_MS);
  if (!state.ready) {
    show(`The server is starting: ${state.reasons.join("; ")}.`);
    return setTimeout(tryAgain, EVERY_MS);
  }
  waiting = false;
  show("");
  listeners.forEach((listener) => listener());
}

function show(message) {
  byId("connection").textContent = message;
}
