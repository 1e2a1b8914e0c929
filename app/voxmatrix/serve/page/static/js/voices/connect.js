// What other programs need to speak with these voices.

import { el, note } from "../dom.js";
import { heldKey } from "../key.js";

const HIDDEN = "••••••••";

/** `settings` is the promise of the page's settings. */
export function startConnect(settings) {
  const element = el("section", { class: "connect" }, el("h2", { class: "shelf-heading" }, "Connect"),
    note("Programs that know OpenAI's speech API, Piper's server or Wyoming speak with these voices."));
  settings.then((known) => element.append(el("div", { class: "connect-cards" }, programs(known).map(card))), () => {});
  return element;
}

function programs({ wyoming_port: port }) {
  const base = new URL("v1", document.baseURI).href;
  const host = location.hostname;
  const key = heldKey() || "any";
  const keyed = ["Key", key];
  const spoken = { model: "tts-1", voice: "alloy", input: "Hello there." };
  const authorization = heldKey() ? ` -H "Authorization: Bearer ${key}"` : "";
  const here = ["localhost", "127.0.0.1", "[::1]"].includes(host)
    ? ["In a container or on another computer, this address means that one: use the name of this computer there, and start the server with ", el("code", {}, "--host 0.0.0.0"), "."]
    : "";
  return [
    { title: "Any program", rows: [["Base URL", base], keyed, ["Model", "tts-1"]], remark: here },
    { title: "Open WebUI", where: "Admin Settings, Audio, Text-to-Speech: OpenAI", rows: [["API Base URL", base], ["API Key", key], ["TTS Model", "tts-1"]] },
    { title: "SillyTavern", where: "Extensions, TTS: OpenAI Compatible", rows: [["Provider Endpoint", `${base}/audio/speech`], keyed, ["Model", "tts-1"]] },
    port
      ? { title: "Home Assistant", where: "Devices & services, Add integration: Wyoming Protocol", rows: [["Host", host], ["Port", String(port)]] }
      : { title: "Home Assistant", where: "It speaks Wyoming, which this server does not at present.", rows: [["Start it with", "voxmatrix serve --wyoming-port 10200 --wyoming-host 0.0.0.0 --no-keys"]] },
    { title: "curl", rows: [["Command", `curl ${base}/audio/speech${authorization} -H "Content-Type: application/json" -d '${JSON.stringify(spoken)}' -o hello.mp3`]] },
  ];
}

function card({ title, where, rows, remark }) {
  return el("article", { class: "connect-card", "aria-label": title },
    el("h3", {}, title), where && note(where),
    el("dl", {}, rows.map(([name, value]) => row(title, name, value))), remark && note(...remark));
}

/** A key is not shown, as others may be looking; it is copied all the same. */
export function row(title, name, value) {
  const secret = heldKey();
  const button = el("button", { class: "link", "aria-label": `Copy: ${title}, ${name}`, onclick: () => copy(value, button) }, "Copy");
  return el("div", {}, el("dt", {}, name), el("dd", {}, el("code", {}, secret ? value.replaceAll(secret, HIDDEN) : value), button));
}

async function copy(value, button) {
  try {
    await navigator.clipboard.writeText(value);
  } catch {
    // Browsers allow the clipboard on this computer and over TLS only.
    const field = el("textarea", { class: "hidden" });
    field.value = value;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 2000);
}
