// Paths of icons.

import { icon } from "./dom.js";

export const PLAY = "M8 5.5v13l11-6.5z";
export const PAUSE = "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z";
export const ARROW = "M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14";

/** Let a button say whether it plays something, or pauses it. */
export function showPlaying(button, playing, what, play = "Play") {
  button.setAttribute("aria-label", `${playing ? "Pause" : play} ${what}`);
  button.replaceChildren(icon(playing ? PAUSE : PLAY));
}
