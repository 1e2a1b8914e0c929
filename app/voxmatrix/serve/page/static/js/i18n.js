// The words of the page, which the server writes into it: those of words/LANGUAGE.json.

const words = JSON.parse(document.getElementById("words").textContent);
/** How numbers and dates are written. */
export const LOCALE = words.locale;
const plurals = new Intl.PluralRules(LOCALE);

const written = (value) => (typeof value === "number" ? value.toLocaleString(LOCALE) : value);

/**
 * The words for a key. `{name}` in them becomes the value of that name; the value of `count` chooses among plural forms.
 * @param {string} key
 * @param {Record<string, any>} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  const found = words[key];
  const form = typeof found === "string" ? found : (found[plurals.select(values.count)] ?? found.other);
  return form.replace(/\{(\w+)\}/g, (_, name) => written(values[name]));
}

/** The words for a key, as texts and elements: `{name}` in them becomes the element of that name. */
export const parts = (key, elements) => words[key].split(/\{(\w+)\}/).map((part, at) => (at % 2 ? elements[part] : part));
