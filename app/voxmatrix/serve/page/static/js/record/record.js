// The tab Record: all lists or, at #/record/PROFILE/LIST, the studio for one of them.

import { onBack } from "../connection.js";
import { byId } from "../dom.js";
import { Lists } from "./lists.js";
import { Studio } from "./studio.js";

export function startRecord() {
  const place = byId("record");
  let view = null;

  function show([profile, name, number]) {
    leave();
    view = name ? new Studio(place, { profile, name, number: Number(number) || 0 }) : new Lists(place);
    view.load();
  }

  function leave() {
    view?.leave();
    view = null;
  }

  window.addEventListener("hashchange", () => location.hash.startsWith("#/record") || leave());
  // Another tab of the browser may have recorded in the meantime.
  document.addEventListener("visibilitychange", () => document.hidden || view?.load());
  window.addEventListener("focus", () => view?.load());
  onBack(() => view?.load());
  return show;
}
