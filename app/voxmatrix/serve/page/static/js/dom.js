// Elements, without HTML in strings: what comes from a server or a person is only ever text.

import { known, t } from "./i18n.js";

/** @type {(id: string) => any} */
export const byId = (id) => document.getElementById(id);

/** An element. `props` are attributes; those that begin with "on" are listeners. Strings become text. */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  if (tag === "button") made.type = "button";
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

/** Show these; if they are there, they stay, with the focus in them, or a finger on them. */
export function fill(list, shown) {
  if (shown.length !== list.children.length || shown.some((each, at) => each !== list.children[at])) list.replaceChildren(...shown);
}

/** How full a bar is: 0…1. */
export const level = (bar, share) => bar.style.setProperty("--level", share);

/** A bar that is full to this share, to look at only. */
export function filled(share) {
  const bar = el("span", { class: "bar" });
  level(bar, share);
  return el("span", { class: "track", "aria-hidden": "true" }, bar);
}

/** A bar of progress, and what shows how far it is: 0…1. */
export function progressBar() {
  const bar = el("span", { class: "bar" });
  const element = el("div", { class: "track", role: "progressbar", "aria-label": t("page.progress"), "aria-valuemin": 0, "aria-valuemax": 100 }, bar);
  const show = (share) => {
    level(bar, share);
    element.setAttribute("aria-valuenow", Math.round(100 * share));
  };
  return { element, show };
}

/** Where the tab Speak has this voice. */
export const speakAddress = (voice) => `#/speak/${encodeURIComponent(voice)}`;

/** A button that stands back. */
export const quiet = (words, onclick) => el("button", { class: "quiet", onclick }, words);

/** A remark. */
export const note = (...children) => el("p", { class: "note" }, ...children);

/** A labelled input. */
export const field = (label, ...input) => el("label", { class: "field" }, el("span", {}, label), input);

/** A listener that does what a form or a button is for: the button waits meanwhile, and `problem` says what went wrong. */
export const onDo = (problem, act) => async (event) => {
  event.preventDefault();
  const button = event.submitter ?? event.currentTarget;
  button.disabled = true;
  problem.textContent = "";
  await act().catch((error) => (problem.textContent = error.message));
  button.disabled = false;
};

/** An input for the name of a voice. */
export const nameInput = (props) =>
  el("input", { required: true, maxlength: 64, pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]{0,63}", autocomplete: "off", spellcheck: "false", title: t("page.name_rule"), ...props });

/** An input to be clicked by a button, which is what is seen; `take` gets the chosen files. */
export function fileInput(accept, take, multiple = false) {
  const input = el("input", { type: "file", accept, multiple, class: "hidden", tabindex: "-1", "aria-hidden": "true", onchange: () => {
    take([...input.files]);
    input.value = "";
  } });
  return input;
}

/** One of several sources to choose from. */
export const source = (value, onchange, name, facts) =>
  el("label", { class: "source" }, el("input", { type: "radio", name: "source", value, onchange }), el("span", {}, name, el("small", {}, facts)));

/** The way back to where one came from. */
export const back = (href, words) => el("a", { class: "back", href }, `← ${words}`);

/** Names with their values, of a list of class figures. */
export const figures = (facts) => facts.filter(Boolean).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", { class: "number" }, value)));

/** What went wrong. */
export const trouble = (...said) => el("p", { class: "problem", role: "alert" }, ...said);

/** An error of a job. */
export function explained(error) {
  if (!error) return [];
  if (isOffline(error.message)) return offline(error.message);
  return [el("p", { class: "problem" }, error.message), remedied(error)].filter(Boolean);
}

/** Whether a message of the server says that it cannot reach what it wanted to download (voxmatrix/download.py). */
export const isOffline = (message) => /cannot download (?!.*MiB free)/.test(message);

/** That in a person's words, and folded in those of the server. */
export const offline = (message) => [el("p", { class: "problem" }, t("server.offline")), el("details", { class: "note" }, el("summary", {}, t("server.details")), el("p", {}, message))];

const remedied = ({ remedy }) => remedy && el("p", { class: "remedy" }, remedy);

/** A finding of the plan, or of doctor. */
export const finding = (found) =>
  el("li", { class: found.severity }, el("span", { class: "mark" }, known("finding", found.severity, found.severity)), el("div", {}, el("p", {}, found.problem), remedied(found)));

/** Give files that are dropped anywhere but on an input for files to `take`. `zone` shows that it takes them. */
export function onDrop(zone, signal, take) {
  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files") || event.target.type === "file") return;
    event.preventDefault();
    zone.classList.toggle("over", event.type === "dragover");
    if (event.type === "drop") take([...event.dataTransfer.files]);
  };
  for (const name of ["dragover", "dragleave", "drop"]) document.addEventListener(name, over, { signal });
}

/** Save a Blob under this name. */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // by then the browser has read it
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function svg(tag, props = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** An icon of one path in a square of 24. */
export const icon = (path) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
