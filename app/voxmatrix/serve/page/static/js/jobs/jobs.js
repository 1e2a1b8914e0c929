// The tab Jobs: everything that runs in the background, or did.

import { onBack } from "../connection.js";
import { byId, el } from "../dom.js";
import { t } from "../i18n.js";
import { JobList } from "./list.js";

export function startJobs() {
  let list = null;
  onBack(() => list?.load());
  return () => {
    if (list) list.load();
    else list = new JobList(byId("jobs"), { title: t("tab.jobs"), empty });
  };
}

const empty = () => [
  el("p", {}, t("jobs.none")),
];
