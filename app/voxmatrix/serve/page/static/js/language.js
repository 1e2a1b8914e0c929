// The language of the page: that which the browser wants most, until the person chooses. The server reads the choice,
// and sends the page in it (routes.py).

import { byId } from "./dom.js";

const NAME = "voxmatrix-language";
const YEAR_S = 365 * 24 * 3600;

export function startLanguage() {
  const select = byId("language");
  select.value = document.documentElement.lang;
  select.addEventListener("change", () => {
    document.cookie = `${NAME}=${select.value}; max-age=${YEAR_S}; samesite=lax`;
    location.reload();
  });
}
