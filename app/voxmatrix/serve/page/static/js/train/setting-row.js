// One setting: its value, which can be changed, and the reason for it.

import { el, note } from "../dom.js";
import { known, t } from "../i18n.js";
import { spaced } from "../words.js";

/**
 * `onEdit` gets what was entered, or "" to make it automatic again.
 * @param {{name: string, label?: string, options?: string[], least?: number, step?: number | string, free?: boolean}} field
 * @param {(text: string) => void} onEdit
 */
export function settingRow({ name, label = known("setting", name, spaced(name)), options, least, step = 1, free = false }, onEdit) {
  let writing = false; // what is being written is not replaced
  const isText = least === undefined && !free;
  const input = isText
    ? el("select", { id: name, onchange: () => onEdit(input.value) }, (options ?? []).map((each) => el("option", {}, each)))
    : free ? el("input", { id: name, type: "text", maxlength: 256, placeholder: t("train.automatic_value"), oninput: () => (writing = true), onchange: change })
    : el("input", { id: name, type: "number", min: least, step, placeholder: t("train.automatic_value"), inputmode: "decimal", oninput: () => (writing = true), onchange: change });
  const reason = el("span");
  const automatic = el("button", { class: "link", hidden: true, onclick: giveBack, "aria-label": t("train.make_automatic", { setting: label }) }, t("train.automatic"));
  const element = el("div", { class: "setting" }, el("label", { for: name }, label), input, note(reason, automatic));

  function change() {
    writing = false;
    if (input.value === "" || input.reportValidity()) onEdit(input.value);
  }
  function giveBack() {
    writing = false;
    input.focus();
    onEdit("");
  }
  /** Values to choose from, each with its name if that differs. */
  function offer(values) {
    const { value } = input;
    input.replaceChildren(...values.map((each) => [each].flat()).map(([one, words]) => el("option", { value: one }, words ?? one)));
    if (value) show(value, reason.textContent, !automatic.hidden);
  }
  function show(value, why, edited) {
    if (isText && ![...input.options].some((option) => option.value === value)) input.append(el("option", {}, value));
    if (!writing) input.value = value;
    reason.textContent = why;
    automatic.hidden = !edited;
    element.classList.toggle("edited", edited);
  }
  return { element, show, offer };
}
