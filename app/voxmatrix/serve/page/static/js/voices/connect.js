// What other programs need to speak with these voices.

import { el, note } from "../dom.js";
import { parts, t } from "../i18n.js";
import { heldKey } from "../key.js";

const HIDDEN = "••••••••";

/** `settings` is the promise of the page's settings. */
export function startConnect(settings) {
  const element = el("section", { class: "connect" }, el("h2", { class: "shelf-heading" }, t("voices.connect")),
    note(t("voices.connect_about")));
  settings.then((known) => element.append(el("div", { class: "connect-cards" }, programs(known).map(card))), () => {});
  return element;
}

function programs({ wyoming_port: port }) {
  const base = new URL("v1", document.baseURI).href;
  const host = location.hostname;
  const key = heldKey() || "any";
  const keyed = [t("voices.key"), key];
  const spoken = { model: "tts-1", voice: "alloy", input: t("voices.hello") };
  const authorization = heldKey() ? ` -H "Authorization: Bearer ${key}"` : "";
  const here = ["localhost", "127.0.0.1", "[::1]"].includes(host)
    ? parts("voices.container", { option: el("code", {}, "--host 0.0.0.0") })
    : "";
  return [
    { title: t("voices.any_program"), rows: [[t("voices.base_url"), base], keyed, [t("voices.model"), "tts-1"]], remark: here },
    { title: "Open WebUI", where: t("voices.webui"), rows: [[t("voices.api_base_url"), base], [t("voices.api_key"), key], [t("voices.tts_model"), "tts-1"]] },
    { title: "SillyTavern", where: t("voices.sillytavern"), rows: [[t("voices.endpoint"), `${base}/audio/speech`], keyed, [t("voices.model"), "tts-1"]] },
    port
      ? { title: "Home Assistant", where: t("voices.wyoming"), rows: [[t("voices.host"), host], [t("voices.port"), String(port)]] }
      : { title: "Home Assistant", where: t("voices.no_wyoming"), rows: [[t("voices.start_with"), "voxmatrix serve --wyoming-port 10200 --wyoming-host 0.0.0.0 --no-keys"]] },
    { title: "curl", rows: [[t("voices.command"), `curl ${base}/audio/speech${authorization} -H "Content-Type: application/json" -d '${JSON.stringify(spoken)}' -o hello.mp3`]] },
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
  const button = el("button", { class: "link", "aria-label": t("voices.copy_of", { title, name }), onclick: () => copy(value, button) }, t("voices.copy"));
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
  button.textContent = t("voices.copied");
  setTimeout(() => (button.textContent = t("voices.copy")), 2000);
}
