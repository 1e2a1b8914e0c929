// Elements, without HTML in strings: what comes from a server or a person is only ever text.

export const byId = (id) => document.getElementById(id);

/** An element. `props` are attributes; those that begin with "on" are listeners. Strings become text. */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  if (tag === "button") made.type = "button";
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

/** A remark. */
export const note = (...children) => el("p", { class: "note" }, ...children);

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function svg(tag, props = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** An icon of one path in a square of 24. */
export const icon = (path) => svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: path }));
