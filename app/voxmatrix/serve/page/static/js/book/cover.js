// The cover of a book; a plain one if it has none.

import { el } from "../dom.js";
import { t } from "../i18n.js";

/** `thumbnail` is a JPEG in Base64, or null. */
export function cover(thumbnail, title) {
  const canvas = el("canvas", { class: "cover", role: "img", "aria-label": t("book.cover") });
  if (!thumbnail) return el("div", { class: "cover plain", "aria-hidden": "true" }, (title || "?").trim().charAt(0));
  const bytes = Uint8Array.from(atob(thumbnail), (letter) => letter.charCodeAt(0));
  createImageBitmap(new Blob([bytes], { type: "image/jpeg" })).then((image) => {
    Object.assign(canvas, { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
  }, () => canvas.remove());
  return canvas;
}
