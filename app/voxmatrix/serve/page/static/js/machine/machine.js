// The tab Machine.

import { read } from "../api.js";
import { onBack } from "../connection.js";
import { known, t } from "../i18n.js";
import { devices } from "./devices.js";
import { byId, el, finding, note, quiet, trouble } from "../dom.js";
import { spaced } from "../words.js";

export function startMachine() {
  const panel = byId("machine-panel");
  const place = el("div", { id: "machine", "aria-live": "polite" });
  const refresh = quiet(t("machine.again"), load);
  let loaded = false;

  async function load() {
    place.setAttribute("aria-busy", "true");
    refresh.disabled = true;
    if (!loaded) place.replaceChildren(...["tall", "", ""].map((size) => el("div", { class: `bone ${size}` })));
    try {
      const report = await read("v1/machine");
      place.replaceChildren(devices(report.doctor), findings(report), plan(report.plan));
      loaded = true;
    } catch (problem) {
      place.replaceChildren(trouble(problem.message));
      loaded = false;
    }
    place.setAttribute("aria-busy", "false");
    refresh.disabled = false;
  }

  panel.replaceChildren(el("div", { class: "heading" }, el("h1", {}, t("machine.heading")), refresh), place);
  onBack(() => panel.hidden || load());
  return () => loaded || load();
}

/** What doctor and plan found; what has the same remedy is said once. */
function findings({ doctor, plan: { findings: ofPlan } }) {
  const known = new Set(doctor.findings.map((each) => each.remedy));
  const all = [...doctor.findings, ...ofPlan.filter((each) => !known.has(each.remedy))];
  return el("section", {}, el("h2", {}, t("machine.findings")),
    all.length ? el("ul", { class: "findings" }, all.map(finding)) : note(t("machine.nothing")));
}

function plan({ settings }) {
  const rows = Object.entries(settings).map(([name, { value, reason, source }]) =>
    el("tr", {},
      el("th", { scope: "row" }, known("setting", name, spaced(name))),
      el("td", { class: "value" }, shown(value)),
      el("td", {}, reason, source !== "automatic" && el("span", { class: "tag" }, source))));
  const head = el("tr", {}, [t("machine.setting"), t("machine.value"), t("machine.why")].map((name) => el("th", { scope: "col" }, name)));
  return el("section", {}, el("h2", {}, t("machine.plan")),
    note(t("machine.plan_about")),
    el("table", { class: "plan" }, el("thead", {}, head), el("tbody", {}, rows)));
}

/** As it is typed on the command line. */
const shown = (value) => ({ true: "on", false: "off", "": "–" })[value] ?? String(value);
