// The tabs. The address keeps the chosen one, so that it can be linked and survives a reload.

import { lost, onBack } from "./connection.js";
import { byId, el, quiet, trouble } from "./dom.js";
import { t } from "./i18n.js";
import { player } from "./sound/player.js";

/** The parts of an address after the name of its tab: "#/train/a%20b" → ["a b"] */
function partsOf(address) {
  try {
    return address.split("/").slice(2).map(decodeURIComponent);
  } catch {
    return []; // typed by a person
  }
}

/** `shown[name]` is called with the parts of the address after its name, whenever that tab is shown. */
export function startTabs(shown) {
  /** @type {HTMLElement[]} */
  const tabs = Array.from(document.querySelectorAll("[role=tab]"));
  const nameOf = (tab) => tab.id.replace("tab-", "");
  // With a slash it is the name of no element, to which the browser would take the focus.
  const addressOf = (tab) => `#/${nameOf(tab)}`;

  function show() {
    // What follows the name is the tab's own.
    const asked = tabs.find((tab) => `${location.hash}/`.startsWith(`${addressOf(tab)}/`)) ?? tabs.find((tab) => tab.tabIndex === 0);
    for (const tab of tabs) {
      const chosen = tab === asked;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !chosen;
    }
    document.title = `${asked.textContent} – voxmatrix`;
    shown[nameOf(asked)]?.(partsOf(location.hash));
  }

  function onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length);
    next.focus();
    next.click();
  }

  for (const tab of tabs) {
    tab.addEventListener("click", () => (location.hash = addressOf(tab)));
    tab.addEventListener("keydown", onKey);
  }
  window.addEventListener("hashchange", show);
  show();
}

/** What to call with the parts of an address when the tab at this place is shown; `load` gives what shows them there. */
export function whenShown(id, load) {
  const place = byId(id);
  let loading = null;
  let failed = false; // the browser remembers that, and asks for a module again only when the page is loaded again
  onBack(() => place.hidden || !failed || player.playing || location.reload());

  async function loaded() {
    place.replaceChildren(el("div", { class: "bone tall" }));
    try {
      const show = await load();
      failed = false;
      return show;
    } catch (problem) {
      // The connection broke, or the server is of another version by now, and has only the modules of that.
      console.error(problem);
      loading = null;
      failed = true;
      if (!(await fetch("readyz").catch(() => null))) lost();
      place.replaceChildren(trouble(t("server.part_lost")), quiet(t("server.load_again"), () => location.reload()));
      return null;
    }
  }

  return async (parts) => {
    loading ??= loaded();
    (await loading)?.(parts);
  };
}
