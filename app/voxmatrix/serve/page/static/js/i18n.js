// The words of the page, which the server writes into it: those of words/LANGUAGE.json.

const words = JSON.parse(document.getElementById("words").textContent);
/** How numbers and dates are written: as in the person's own country, if its language is this one. */
export const LOCALE = navigator.languages.find((tag) => tag.split("-")[0] === words.language && tag !== words.language) ?? words.locale;
const plurals = new Intl.PluralRules(LOCALE);

/** 1.5 → "1.50", with so many digits behind the point, or the comma. */
export const decimal = (value, digits) => value.toLocaleString(LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** 0.12345 → "0.123": three digits that say something. */
export const significant = (value) => value.toLocaleString(LOCALE, { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

/** Several names, as a language lists them: "Ann, Bo and Cy". */
export const listed = (names) => new Intl.ListFormat(LOCALE).format(names);

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

/** What the server calls by a name that is always the same: its words in this language, or else `other`. */
export const known = (area, name, other) => words[`${area}.${String(name).replaceAll("-", "_")}`] || other;

/** The words for a key, as texts and elements: `{name}` in them becomes the element of that name. */
export const parts = (key, elements) => words[key].split(/\{(\w+)\}/).map((part, at) => (at % 2 ? elements[part] : part));
