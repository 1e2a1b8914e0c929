// The tab Train: all trainings; #/train/new to choose recordings; #/train/ID for their check, and for a training.

import { onBack } from "../connection.js";
import { back, byId, el, note, trouble } from "../dom.js";
import { t } from "../i18n.js";
import { getJob } from "../jobs/api.js";
import { JobList } from "../jobs/list.js";
import { Choice } from "./choice.js";
import { showDrafts } from "./drafts.js";
import { Prepared } from "./prepared.js";
import { Run } from "./run.js";

export function startTrain() {
  const place = byId("train");
  let address = null;
  let view = null;

  async function show([id]) {
    if (view && id === address) return view.load?.();
    view?.leave();
    address = id;
    view = { leave: () => {} };
    place.replaceChildren(el("div", { class: "bone tall" }));
    try {
      const made = await viewOf(id);
      if (address === id) view = made(place);
    } catch (problem) {
      view = null;
      place.replaceChildren(back("#/train", t("train.all")), trouble(problem.message));
    }
  }

  onBack(() => place.hidden || view?.load?.());
  return show;
}

async function viewOf(id) {
  if (id === "new") return (place) => new Choice(place);
  if (!id) return shelf;
  const job = await getJob(id);
  return (place) => (job.kind === "train" ? new Run(place, job) : new Prepared(place, job));
}

/** All trainings, and what may become one. */
function shelf(place) {
  const end = new AbortController();
  const [drafts, trainings] = [el("div"), el("div")];
  place.replaceChildren(trainings, drafts);
  const list = new JobList(trainings, TRAININGS);
  const load = () => showDrafts(drafts, end.signal);
  load();
  return {
    load: () => Promise.all([list.load(), load()]),
    leave: () => {
      end.abort();
      list.leave();
    },
  };
}

const TRAININGS = {
  title: t("train.title"),
  kinds: ["train", "distil"],
  action: () => el("a", { class: "primary", href: "#/train/new" }, t("train.new")),
  empty: () => [
    el("p", { class: "lead" }, t("train.lead")),
    note(t("train.lead_more")),
    el("a", { class: "primary", href: "#/train/new" }, t("train.choose")),
  ],
};
