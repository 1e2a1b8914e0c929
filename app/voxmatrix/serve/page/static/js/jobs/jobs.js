// The tab Jobs: everything that runs in the background, or did.

import { onBack } from "../connection.js";
import { byId, el } from "../dom.js";
import { JobList } from "./list.js";

export function startJobs() {
  let list = null;
  onBack(() => list?.load());
  return () => {
    if (list) list.load();
    else list = new JobList(byId("jobs"), { title: "Jobs", empty });
  };
}

const empty = () => [
  el("p", {}, "Nothing has run in the background yet. Trainings, audiobooks and other long work are listed here."),
];
