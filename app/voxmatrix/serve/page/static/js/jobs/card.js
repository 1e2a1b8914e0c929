// A job: what it is, how far, and what can be done with it.

import { el, explained, progressBar, quiet, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { cancelJob, deleteJob, ENDED, resumeJob } from "./api.js";
import { heard, results } from "./results.js";
import { addressOf, facts, isResumable, KINDS, stateOf } from "./words.js";

/**
 * A card, which shows a job from the start and each newer one that `update` gets. `onChange` gets the job after
 * somebody has cancelled or resumed it, and null after it was deleted; `signal` ends the life of the card.
 */
export function jobCard(job, { onChange, signal }) {
  const title = el("h2");
  const state = el("span", { class: "verdict" });
  const progress = progressBar();
  const line = el("p", { class: "note number" });
  const problem = el("div", { class: "job-problem" });
  const warnings = el("div");
  const buttons = el("div", { class: "job-actions" });
  const files = results(signal);
  const sound = heard(signal);
  const element = el("article", { class: "job" },
    el("header", {}, el("div", {}, title), state), progress.element, sound.element, problem,
    el("div", { class: "job-foot" }, el("div", {}, line, warnings, files.element), buttons));

  async function act(request) {
    buttons.querySelectorAll("button").forEach((button) => (button.disabled = true));
    try {
      const changed = await request(job.id);
      const isJob = changed.id !== undefined;
      if (isJob) update(changed);
      onChange(isJob ? changed : null);
    } catch (error) {
      problem.replaceChildren(trouble(error.message));
      showButtons();
    }
  }
  function showButtons() {
    const button = (words, request) => quiet(words, () => act(request));
    const ended = ENDED.includes(job.state);
    buttons.replaceChildren(...[
      !ended && button(t(job.kind === "train" ? "jobs.stop" : "jobs.cancel"), cancelJob),
      isResumable(job) && button(t("jobs.resume"), resumeJob),
      ended && deletion(() => act(deleteJob)),
    ].filter(Boolean));
  }

  function update(newer) {
    const before = job;
    job = newer;
    const address = addressOf(job);
    if (!title.firstChild) title.append(address ? el("a", { href: address }, job.title) : job.title, el("small", {}, KINDS[job.kind]));
    const [quality, words] = stateOf(job);
    state.className = `verdict ${quality}`;
    state.textContent = words;
    element.dataset.state = job.state;
    element.setAttribute("aria-label", t("jobs.label", { kind: KINDS[job.kind], title: job.title }));
    progress.show(job.progress);
    progress.element.hidden = job.state !== "running";
    line.textContent = facts(job);
    files.update(job);
    sound.update(job);
    if (before.state === job.state && buttons.firstChild) return;
    warnings.replaceChildren(...warned(job));
    problem.replaceChildren(...explained(job.error));
    // A button that is replaced while it is pressed is not clicked.
    if (!buttons.firstChild || ENDED.includes(before.state) !== ENDED.includes(job.state)) showButtons();
  }

  update(job);
  return { element, update };
}

/** What the command has warned of, folded. */
function warned({ result }) {
  const found = result?.warnings ?? [];
  return found.length ? [el("details", {}, el("summary", {}, t("count.warnings", { count: found.length })), el("ul", {}, found.map((each) => el("li", {}, each))))] : [];
}

/** A button that asks once more. */
export function deletion(remove) {
  const button = quiet(t("jobs.delete"));
  button.addEventListener("click", () => {
    if (button.dataset.sure) return remove();
    button.dataset.sure = true;
    button.textContent = t("jobs.delete_sure");
  });
  const calm = () => {
    delete button.dataset.sure;
    button.textContent = t("jobs.delete");
  };
  button.addEventListener("blur", calm);
  return button;
}
