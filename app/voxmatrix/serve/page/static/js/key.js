// The key of a server that has keys: asked for once, sent with every request, forgotten with the tab.

import { byId } from "./dom.js";

const NAME = "voxmatrix-key";
let asking = null;

// `voxmatrix serve` prints an address with the key of its run. A fragment is never sent.
const given = new URLSearchParams(location.hash.slice(1)).get("key");
if (given) {
  sessionStorage.setItem(NAME, given);
  history.replaceState(null, "", location.pathname);
}

export const heldKey = () => sessionStorage.getItem(NAME) ?? "";

/** Ask for the key. Requests that need it at the same time share one question. */
export function askForKey(reason) {
  asking ??= new Promise((resolve) => {
    const dialog = byId("key");
    byId("key-reason").textContent = reason;
    byId("key-value").value = "";
    // Without a key there is nothing to see: Escape does not close it.
    dialog.oncancel = (event) => event.preventDefault();
    dialog.onclose = () => {
      sessionStorage.setItem(NAME, byId("key-value").value.trim());
      byId("key-value").value = "";
      asking = null;
      resolve();
    };
    dialog.showModal();
  });
  return asking;
}
