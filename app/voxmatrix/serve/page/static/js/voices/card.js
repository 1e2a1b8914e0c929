// A voice of this server: hear it, speak with it, rename it, let it be the default, delete it.

import { ask } from "../api.js";
import { el, nameInput, note, onDo, quiet, speakAddress, trouble } from "../dom.js";
import { known, t } from "../i18n.js";
import { showPlaying } from "../icons.js";
import { deletion } from "../jobs/card.js";
import { player } from "../sound/player.js";
import { Take } from "../speak/take.js";
import { joined, language, sentence } from "../words.js";
import { sampleOf } from "./samples.js";

const ORIGINS = { included: t("voices.included"), downloaded: t("voices.downloaded"), trained: t("voices.trained"), cloned: t("voices.cloned"), added: t("voices.own") };
const pathOf = (id) => `v1/voices/${id.split("/").map(encodeURIComponent).join("/")}`;

/** `changed` is called when something is different; `signal` ends the life of the card. */
export function installedCard(voice, { isDefault, isFixed, changed, signal }) {
  const problem = trouble();
  const name = voice.id.split("/").at(-1);
  const menu = el("details", { class: "voice-menu", name: "voice-menu" }, el("summary", { "aria-label": t("voices.more", { voice: voice.title }) }, "⋯"));

  const act = (method, body) => ask(pathOf(voice.id), { method, body }).then(() => changed());
  const input = nameInput({ value: name, "aria-label": t("voices.name") });
  const naming = el("form", { class: "naming", onsubmit: onDo(problem, () => act("PATCH", { name: input.value })) }, input, el("button", { class: "quiet", type: "submit" }, t("voices.rename")));
  const address = speakAddress(voice.id);
  menu.append(el("div", {},
    !voice.problem && el("a", { class: "primary", href: address }, t("voices.speak")),
    voice.own && naming,
    !isDefault && !isFixed && !voice.problem && quiet(t("voices.use_default"), onDo(problem, () => act("PATCH", { default: true }))),
    /^https?:/.test(voice.source) && el("a", { href: voice.source, target: "_blank", rel: "noreferrer" }, t("voices.source")),
    voice.own && deletion(() => act("DELETE").catch((error) => (problem.textContent = error.message)))));
  const has = menu.lastChild.childElementCount > 0;

  return el("li", { class: "voice-card", "aria-label": voice.title },
    voice.problem ? el("span", { class: "voice-mark bad", "aria-hidden": "true" }, "!") : playButton(voice, problem, signal),
    el("div", { class: "voice-about" },
      el("h3", {}, voice.problem ? voice.title : el("a", { href: address, title: voice.id }, voice.title), isDefault && el("span", { class: "tag" }, t("voices.default"))),
      note(joined(voice.language && language(voice.language), known("gender", voice.gender, voice.gender) || voice.quality.replaceAll("_", " "), voice.speakers.length ? t("count.speakers", { count: voice.speakers.length }) : "")),
      el("p", { class: "note small" }, joined(ORIGINS[voice.origin], voice.license)),
      voice.problem && el("p", { class: "problem" }, sentence(voice.problem)),
      problem),
    has && menu);
}

/** A button that lets the voice say something, once; then it is there to be heard again. */
function playButton({ id, title, language: code, rate_hz: rateHz }, problem, signal) {
  const button = el("button", { class: "play", onclick: press });
  let take = null;

  function press() {
    player.prepare(rateHz); // now, while this is a click: later the browser would not allow sound
    if (take?.sound) return player.toggle(take.sound);
    if (take?.state === "waiting") return undefined;
    problem.textContent = "";
    take = new Take({ voice: id, label: title, text: sampleOf(code), speed: 1, knobs: {} });
    take.addEventListener("change", update);
    player.pause();
    player.hear(take);
    take.compute(signal);
    return update();
  }
  function update() {
    showPlaying(button, Boolean(take?.sound && player.playing && player.sound === take.sound), title, "play.hear");
    button.classList.toggle("busy", take?.state === "waiting");
    if (take?.state === "failed") {
      problem.textContent = take.status;
      if (!take.sound) take = null;
    }
  }

  player.addEventListener("change", update, { signal });
  signal.addEventListener("abort", () => take?.sound && player.sound === take.sound && player.pause());
  update();
  return button;
}
