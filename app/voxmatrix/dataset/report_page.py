"""The HTML frame of the report: self-contained, light and dark, with a policy that blocks all other scripts."""

import base64
import hashlib

_STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1c1c1e; --paper: #fff; --quiet: #5b5b63; --line: #d5d5dc; --in: #1f6feb; --out: #c2410c;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececf1; --paper: #17181c; --quiet: #a3a3ad; --line: #3a3b42; --in: #6ea8fe; --out: #fb923c; }
}
* { box-sizing: border-box }
body {
  font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; padding: 1.5rem; max-width: 70rem;
}
h1 { font-size: 1.6rem }
h2 { font-size: 1.2rem; margin-top: 2rem }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 1rem 0 }
dt { color: var(--quiet); font-size: .85rem }
dd { margin: 0; font-size: 1.2rem }
figure { margin: 1.5rem 0 }
figcaption { font-weight: 600 }
small { color: var(--quiet); font-weight: 400 }
svg { width: 100%; max-width: 45rem; height: auto; font-size: 12px; fill: var(--quiet) }
svg .grid { stroke: var(--line) }
svg .in { fill: var(--in) }
svg .out { fill: var(--out) }
svg .name { fill: var(--ink) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .92rem; margin: 1rem 0 }
caption { text-align: left; color: var(--quiet) }
th, td {
  text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; max-width: 24rem;
}
td.text { min-width: 14rem }
.play { font: inherit; color: var(--in); background: none; border: 0; padding: 0 .3rem; cursor: pointer }
th button {
  font: inherit; font-weight: 600; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-decoration: underline dotted;
}
td.number { text-align: right; font-variant-numeric: tabular-nums }
.error { color: var(--out); font-weight: 600 }
summary { cursor: pointer; margin: 1rem 0 }
"""

_SCRIPT = """
for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => {
  const head = button.closest("th"), body = button.closest("table").tBodies[0];
  const place = head.cellIndex, up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const read = row => row.cells[place].textContent;
  const order = (a, b) => read(a).localeCompare(read(b), undefined, {numeric: true});
  body.append(...[...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)));
});
const player = new Audio();
let playing = null;
const stop = mark => { player.pause(); if (playing) playing.textContent = mark; playing = null };
player.addEventListener("ended", () => stop("▶"));
player.addEventListener("error", () => stop("✗"));
for (const button of document.querySelectorAll(".play")) button.addEventListener("click", () => {
  const again = playing === button;
  stop("▶");
  if (again) return;
  playing = button;
  button.textContent = "■";
  player.src = button.dataset.sound;
  player.play().catch(() => {});
});
"""


def document(title: str, body: str, embedded: str = "") -> str:
    """The complete page with the HTML `body`. `embedded`: "data:" if images and sounds are inside of it."""
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        f"media-src 'self' file: {embedded}" + (f"; img-src {embedded}" if embedded else "")
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n"
        f"<body><main>{body}</main><script>{_SCRIPT}</script></body></html>\n"
    )
