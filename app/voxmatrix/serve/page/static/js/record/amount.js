// How much was recorded, what a voice of that can be, and what to type next.

import { el, filled, note } from "../dom.js";
import { clock } from "../words.js";

export function amount({ seconds, expect, better, recorded, usable, train }) {
  const lost = recorded - usable;
  const now = `Now: ${clock(seconds, 0)} of speech${lost ? `, and ${lost} left out` : ""}`;
  const side = (when, what) => el("div", {}, el("dt", {}, when), el("dd", {}, sentence(what)));
  return el("section", { class: "amount" },
    el("h2", {}, "What this gives"),
    filled(better ? Math.min(1, seconds / better.seconds) : 1),
    el("dl", {}, side(now, expect), better && side(`With ${better.amount}`, better.expect)),
    train && note("Train a voice on these recordings with"),
    train && command(train));
}

function command(text) {
  const copy = el("button", { class: "quiet" }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = "Copied";
  });
  return el("div", { class: "command" }, el("code", {}, text), navigator.clipboard && copy);
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
