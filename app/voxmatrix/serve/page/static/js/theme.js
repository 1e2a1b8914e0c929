// Light or dark: as the system is, until the person chooses.

import { byId, icon } from "./dom.js";
import { t } from "./i18n.js";

const NAME = "voxmatrix-theme";
const SUN = "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4";
const MOON = "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z";
const system = matchMedia("(prefers-color-scheme: dark)");

const isDark = () => (localStorage.getItem(NAME) ?? (system.matches ? "dark" : "light")) === "dark";

export function startTheme() {
  const button = byId("theme");
  const apply = () => {
    const dark = isDark();
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    const label = t(dark ? "page.light" : "page.dark");
    button.setAttribute("aria-label", label);
    button.title = label;
    button.replaceChildren(icon(dark ? SUN : MOON));
    window.dispatchEvent(new Event("colours"));
  };
  button.addEventListener("click", () => {
    localStorage.setItem(NAME, isDark() ? "light" : "dark");
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
