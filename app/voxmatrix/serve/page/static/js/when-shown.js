// Tabs whose modules are loaded when they are shown for the first time.

import { byId, el, quiet, trouble } from "./dom.js";

/** What to call with the parts of an address when the tab at this place is shown; `load` gives what shows them there. */
export function whenShown(id, load) {
  const place = byId(id);
  let loading = null;

  async function loaded() {
    place.replaceChildren(el("div", { class: "bone tall" }));
    try {
      return await load();
    } catch {
      // The connection broke, or the server is of another version by now, and has only the modules of that.
      loading = null;
      place.replaceChildren(trouble("This part of the page did not arrive."), quiet("Load the page again", () => location.reload()));
      return null;
    }
  }

  return async (parts) => {
    loading ??= loaded();
    (await loading)?.(parts);
  };
}
