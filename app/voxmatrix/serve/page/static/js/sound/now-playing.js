// What is heard of another tab than the one that is shown can be stopped there, too.

import { el, quiet } from "../dom.js";
import { t } from "../i18n.js";
import { player } from "./player.js";

const tabNow = () => location.hash.split("/")[1] || "speak";

/** Show it whenever a sound plays that was begun in another tab. */
export function startNowPlaying() {
  const back = el("a", {}, t("play.playing"));
  const bar = el("div", { class: "now-playing", role: "group", "aria-label": t("play.playing"), hidden: true }, back, quiet(t("speak.stop"), () => player.pause()));
  let begun = null; // the address
  function update() {
    if (!player.playing) begun = null;
    else begun ??= { tab: tabNow(), hash: location.hash || "#/speak" };
    bar.hidden = !begun || begun.tab === tabNow();
    if (begun) back.href = begun.hash;
  }
  player.addEventListener("change", update);
  window.addEventListener("hashchange", update);
  document.body.append(bar);
}
