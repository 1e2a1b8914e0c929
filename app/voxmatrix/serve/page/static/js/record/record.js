// The tab Record: all lists or, at #/record/PROFILE/LIST, the studio for one of them.

import { onBack } from "../connection.js";
import { byId } from "../dom.js";
import { Lists } from "./lists.js";
import { Studio } from "./studio.js";

/** Returns what to call when the tab is shown. */
export function startRecord() {
  const place = byId("record");
  let view = null;

  function show() {
    const [profile, name, number] = partsOf(location.hash);
    leave();
    view = name ? new Studio(place, { profile, name, number: Number(number) || 0 }) : new Lists(place);
    view.load();
  }

  function leave() {
    view?.leave();
    view = null;
  }

  window.addEventListener("hashchange", () => partsOf(location.hash) ?? leave());
  // Another tab of the browser may have recorded in the meantime.
  document.addEventListener("visibilitychange", () => document.hidden || view?.load());
  window.addEventListener("focus", () => view?.load());
  onBack(() => view?.load());
  return show;
}

/** The parts of the address after the tab's own; none if it is another tab's. */
function partsOf(address) {
  const [, tab, ...parts] = address.split("/");
  if (tab !== "record") return null;
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return [];
  }
}
