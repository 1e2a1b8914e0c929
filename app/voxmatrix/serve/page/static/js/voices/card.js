// A voice of this server: hear it, speak with it, rename it, let it be the default, delete it.

import { ask } from "../api.js";
import { sampleButton } from "../chooser/sample.js";
import { genderOf } from "../chooser/voices.js";
import { el, note, onDo, quiet, speakAddress, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { deletion } from "../jobs/card.js";
import { joined, language, sentence } from "../words.js";

const ORIGINS = { included: t("voices.included"), downloaded: t("voices.downloaded"), trained: t("voices.trained"), cloned: t("voices.cloned"), added: t("voices.own") };
const pathOf = (id) => `v1/voices/${id.split("/").map(encodeURIComponent).join("/")}`;

/** `changed` is called when something is different; `signal` ends the life of the card. */
export function installedCard(voice, { isDefault, isFixed, changed, signal }) {
  const problem = trouble();
  const menu = el("details", { class: "voice-menu", name: "voice-menu" }, el("summary", { "aria-label": t("voices.more", { voice: voice.title }) }, "⋯"));

  const act = (method, body) => ask(pathOf(voice.id), { method, body }).then(() => changed());
  const input = Object.assign(el("input", { maxlength: 80, autocomplete: "off", "aria-label": t("voices.name") }), { value: voice.title });
  const naming = el("form", { class: "naming", onsubmit: onDo(problem, () => act("PATCH", { title: input.value })) }, input, el("button", { class: "quiet", type: "submit" }, t("voices.rename")));
  const address = speakAddress(voice.id);
  menu.append(el("div", {},
    !voice.problem && el("a", { class: "primary", href: address }, t("voices.speak")),
    !voice.problem && naming,
    !isDefault && !isFixed && !voice.problem && quiet(t("voices.use_default"), onDo(problem, () => act("PATCH", { default: true }))),
    /^https?:/.test(voice.source) && el("a", { href: voice.source, target: "_blank", rel: "noreferrer" }, t("voices.source")),
    voice.own && deletion(() => act("DELETE").catch((error) => (problem.textContent = error.message)))));
  const has = menu.lastChild.childElementCount > 0;

  return el("li", { class: "voice-card", "aria-label": voice.title },
    voice.problem ? el("span", { class: "voice-mark bad", "aria-hidden": "true" }, "!") : sampleButton(voice, problem, signal),
    el("div", { class: "voice-about" },
      el("h3", {}, voice.problem ? voice.title : el("a", { href: address, title: voice.id }, voice.title), isDefault && el("span", { class: "tag" }, t("voices.default"))),
      note(joined(voice.language && language(voice.language), genderOf(voice) || voice.quality.replaceAll("_", " "), voice.speakers.length ? t("count.speakers", { count: voice.speakers.length }) : "")),
      el("p", { class: "note small" }, joined(voice.title !== voice.id && voice.id, ORIGINS[voice.origin], voice.license)),
      voice.problem && el("p", { class: "problem" }, sentence(voice.problem)),
      problem),
    has && menu);
}
