// Chapters as the server takes them: [1, 2, 3, 5] is "1-3,5".

export function rangesOf(numbers) {
  const parts = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}

/** The numbers of such a list, of a book with `count` chapters; all of them without a list. */
export function numbersOf(ranges, count) {
  const numbers = new Set();
  for (const part of (ranges ?? `1-${count}`).split(",")) {
    const [from, to = from] = part.split("-").map((text) => text.trim());
    for (let number = Number(from || 1); number <= Math.min(Number(to || count), count); number++) numbers.add(number);
  }
  return numbers;
}
