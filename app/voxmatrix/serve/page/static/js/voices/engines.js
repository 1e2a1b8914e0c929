// The engines: what is installed, what can be, and what to type for it.

import { el, note } from "../dom.js";
import { t } from "../i18n.js";
import { joined, memory, sentence, size } from "../words.js";
import { row } from "./connect.js";

export const engineCards = (engines) => [
  note(t("voices.engines_about")),
  el("div", { class: "connect-cards" }, engines.map(card))];

function card(engine) {
  const { name, problem, installed, code_licence: licence, bytes, weights } = engine;
  const [quality, words] = problem ? ["bad", t("voices.broken")] : installed ? ["good", t("voices.installed")] : ["", t("voices.not_installed")];
  const all = weights.length ? weights : [engine];
  return el("article", { class: "connect-card", "aria-label": name },
    el("h3", {}, name, " ", el("span", { class: `verdict ${quality}` }, words)),
    note(joined(licence && t("voices.licence_of_code", { licence }), bytes && size(bytes))),
    problem ? el("p", { class: "problem" }, sentence(problem)) : el("dl", {}, all.map((each) => part(name, each))));
}

/** Weights of an engine, or an engine that has none: the command that installs them, or where they are computed. */
function part(engine, { title, command, device, reasons, memory_mib: mib, licence, reference }) {
  const facts = joined(title ?? engine, reference && t("voices.clones"), mib && memory(Math.round(mib)), licence);
  return command ? row(engine, facts, command) : el("div", {}, el("dt", {}, facts), el("dd", {}, device ? t("voices.installed_on", { device }) : t("voices.not_here", { reasons: reasons.join("; ") })));
}
