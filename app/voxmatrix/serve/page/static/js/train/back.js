// The way back from a training, or from a new one.

import { el } from "../dom.js";

export const back = () => el("a", { class: "back", href: "#/train" }, "← All trainings");
