// Paths of icons.

import { icon } from "./dom.js";
import { t } from "./i18n.js";

export const PLAY = "M8 5.5v13l11-6.5z";
export const PAUSE = "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z";
export const CROSS = "M6 6l12 12M18 6 6 18";
export const ARROW = "M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14";

/** Let a button say whether it plays something, or pauses it; `play` is the key of the words for the first. */
export function showPlaying(button, playing, what, play = "play.play") {
  button.setAttribute("aria-label", t(playing ? "play.pause" : play, { what }).trim());
  button.replaceChildren(icon(playing ? PAUSE : PLAY));
}
