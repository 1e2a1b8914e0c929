// How a person is named and shown.

import { t } from "../../i18n.js";

/** The name of the narrator of a book in the first person. */
export const NARRATOR = "I";

export const nameOf = (who) => (who === NARRATOR ? t("cast.narrator") : who || t("cast.nobody"));

/** Who speaks, and whether that is sure. */
export const described = (who, sure) => (sure || !who ? nameOf(who) : t("cast.said_unsure", { who: nameOf(who) }));

/** Give an element the colour of a person: that of their place among those who speak most. */
export function colour(element, cast, who) {
  const place = cast.people.findIndex(({ name }) => name === who);
  element.classList.toggle("plain", place < 0 || who === NARRATOR);
  element.style.setProperty("--hue", Math.round(place * 137.5 + 150) % 360);
  return element;
}
