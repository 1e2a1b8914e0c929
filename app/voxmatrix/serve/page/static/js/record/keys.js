// The keys of the studio. Where a key already has a meaning, in a field or on a button, it keeps it.

const FIELDS = "input, select, textarea";
const PRESSED = "button, a, summary";
const OWN = "[role=slider]"; // the waveform

/** `act` by key; `signal` ends it. */
export function listenToKeys(actions, signal) {
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const { target, key } = event;
    if (target.matches(FIELDS) || document.querySelector("dialog[open]")) return;
    if ([" ", "Enter"].includes(key) && target.matches(PRESSED)) return;
    if (!/^[a-z]$/i.test(key) && key !== "Escape" && target.matches(OWN)) return;
    const action = actions[key.length === 1 ? key.toLowerCase() : key];
    if (!action) return;
    event.preventDefault();
    action();
  }
  document.addEventListener("keydown", onKey, { signal });
}
