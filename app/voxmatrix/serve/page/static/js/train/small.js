// Teaches a small voice from checked recordings of one person: without a GPU, and so the first thing there.

import { el, field, nameInput, note, onDo, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { voiceName } from "../words.js";

/** At most; without any, it learns until it is good. */
const MINUTES = [10, 20, 40];

/** `job` is the check of the recordings; `create` makes another one. `recommend` says whether it is the way to go here. */
export function smallVoice(job, create) {
  const { recordings, file, job: clips, language, force } = job.request;
  const name = nameInput({ value: voiceName(job.title) });
  const minutes = el("select", {}, el("option", { value: "" }, t("train.until_good")), MINUTES.map((each) => el("option", { value: each }, t("train.minutes", { minutes: each }))));
  const problem = trouble();
  const submit = onDo(problem, () =>
    create({ kind: "distil", recordings, file, job: clips, language, force, name: name.value, minutes: minutes.value ? Number(minutes.value) : undefined }));
  const heading = el("h2", {}, t("train.small"));
  const mark = el("p", { class: "verdict good", hidden: true }, t("train.recommended"));
  const teach = el("button", { class: "quiet", type: "submit" }, t("train.teach"));
  const element = el("form", { class: "part export", onsubmit: submit },
    heading, mark, note(t("train.small_about")),
    el("div", { class: "export-row" }, field(t("train.voice_name"), name), field(t("train.learn_for"), minutes), teach), problem);
  const recommend = (/** @type {boolean} */ is) => {
    mark.hidden = !is;
    heading.textContent = t(is ? "train.small_first" : "train.small");
    teach.className = is ? "primary" : "quiet";
  };
  return { element, recommend };
}
