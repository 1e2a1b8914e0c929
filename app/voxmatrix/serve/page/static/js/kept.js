// What the browser remembers from visit to visit, as JSON. Where it may not, the page works without.

export function kept(name, usual) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? usual;
  } catch {
    return usual;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // It is full, or forbidden.
  }
}
