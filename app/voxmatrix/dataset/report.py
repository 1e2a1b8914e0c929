"""An HTML report on a folder of recordings: used and left out recordings, problems and charts.

The page is self-contained, light and dark, with a policy that blocks all other scripts.
"""

import base64
import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from voxmatrix.dataset.charts import durations, paces, without_controls
from voxmatrix.dataset.prepared import MeasuredRecording, PreparedSet
from voxmatrix.files import write_text
from voxmatrix.transcripts.lines import Problem
from voxmatrix.wording import plain, pluralise

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


#: List at most this many recordings without a problem; those with one are all listed.
_MAX_GOOD = 5000


def write_report(prepared: PreparedSet, out: Path) -> None:
    """Write the report to `out` atomically.

    Raises:
        UnreachableError: `out` cannot be written.
    """
    write_text(out, page(prepared, out.parent))


def page(prepared: PreparedSet, folder: Path) -> str:
    """The report as HTML for a file in `folder`, from where it plays recordings.

    Names and texts of recordings are untrusted and therefore escaped.
    """
    outliers = [problem.id for problem in prepared.problems if problem.kind == "text-does-not-fit"]
    body = [
        f"<h1>{pluralise(len(prepared.clips), 'recording')} ready, {len(prepared.left_out)} left out</h1>",
        _figures(prepared),
        durations(prepared.measured),
        paces(prepared.measured, outliers),
        _kinds(prepared.problems),
        _problems(prepared, folder),
        _good(prepared, folder),
    ]
    return document("Recordings", "".join(body))


def _figures(prepared: PreparedSet) -> str:
    minutes, seconds = divmod(round(prepared.seconds), 60)
    longest = max((clip.samples for clip in prepared.clips), default=0) / prepared.rate_hz
    figures = [
        ("speech", f"{minutes} min {seconds} s"),
        ("longest", f"{longest:.1f} s"),
        ("speakers", str(len(prepared.speakers) or 1)),
        ("quality", f"{prepared.quality}, {prepared.rate_hz} Hz"),
        ("language", f"{prepared.language} ({prepared.phoneme_type})"),
    ]
    return f"<dl>{''.join(f'<div><dt>{name}</dt><dd>{_safe(value)}</dd></div>' for name, value in figures)}</dl>"


def _kinds(problems: Sequence[Problem]) -> str:
    if not problems:
        return "<h2>Problems</h2><p>None.</p>"
    counts = Counter((problem.kind, problem.severity) for problem in problems)
    rows = [[_safe(kind), _severity(severity), _number(number)] for (kind, severity), number in counts.most_common()]
    return "<h2>Problems</h2>" + _table("Problems by kind", ("kind", "effect", "count"), rows)


def _problems(prepared: PreparedSet, folder: Path) -> str:
    """A table of recordings with a problem of their own, then one table for each problem that several share."""
    measured = {(item.place, item.path): item for item in prepared.measured}
    grouped: dict[tuple[str, str], list[Problem]] = defaultdict(list)
    for problem in prepared.problems:
        grouped[problem.recording].append(problem)
    alike: dict[str, list[list[str]]] = defaultdict(list)
    for recording, problems in grouped.items():
        item, first = measured.get(recording), problems[0]
        what = "<br>".join(
            f"{_severity(problem.severity)}: {_message(problem.problem)} <small>→ {_message(problem.remedy)}</small>"
            for problem in problems
        )
        facts = [_safe(first.place), _seconds(item), _text(item.text if item else "")]
        alike[what].append([_safe(first.id) + _play(item, folder), *facts])
    single = [[row[0], what, *row[1:]] for what, (row, *more) in alike.items() if not more]
    columns = ("recording", "line", "seconds", "text")
    tables = [_table("Recordings with problems", (columns[0], "problem", *columns[1:]), single)] if single else []
    for what, rows in alike.items():
        if len(rows) > 1:
            table = _table("Recordings with this problem", columns, rows)
            tables.append(f"<details><summary>{len(rows)} recordings {what}</summary>{table}</details>")
    return "".join(tables)


def _good(prepared: PreparedSet, folder: Path) -> str:
    bad = {problem.recording for problem in prepared.problems}
    good = [item for item in prepared.measured if item.used and (item.place, item.path) not in bad]
    rows = [
        [
            _safe(item.id) + _play(item, folder),
            _safe(item.speaker or ""),
            _seconds(item),
            _number(f"{_pace(item):.1f}"),
            _text(item.text),
        ]
        for item in good[:_MAX_GOOD]
    ]
    more = f" (the first {_MAX_GOOD} of {len(good)})" if len(good) > _MAX_GOOD else ""
    columns = ("recording", "speaker", "seconds", "characters per second", "text")
    table = _table(f"Recordings without problems{more}", columns, rows)
    return (
        f"<details><summary>{pluralise(len(good), 'recording')} without problems</summary>{table}</details>"
        if good
        else ""
    )


def _table(caption: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col"><button>{name}</button></th>' for name in columns)
    lines = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>\n" for row in rows)
    return (
        f'<div class="scroll"><table><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _cell(value: str) -> str:
    return value if value.startswith("<td") else f"<td>{value}</td>"


def _play(item: MeasuredRecording | None, folder: Path) -> str:
    """A button that plays the recording."""
    if item is None or not item.seconds:
        return ""
    try:
        path = os.path.relpath(item.path, folder)
    except ValueError:  # on another drive of Windows
        path = item.path
    url = quote(os.fsencode(path.replace(os.sep, "/")))
    return f' <button class="play" data-sound="{escape(url)}" aria-label="play">▶</button>'


def _text(text: str) -> str:
    return f'<td class="text">{_safe(text)}</td>'


def _number(value: int | str) -> str:
    return f'<td class="number">{value}</td>'


def _seconds(item: MeasuredRecording | None) -> str:
    return _number(f"{item.seconds:.2f}" if item and item.seconds else "")


def _pace(item: MeasuredRecording) -> float:
    return item.characters / item.seconds if item.seconds else 0.0


def _severity(severity: str) -> str:
    return '<span class="error">left out</span>' if severity == "error" else "warning"


def _message(text: str) -> str:
    return _safe(plain(text))


def _safe(text: str) -> str:
    """Untrusted text: printable, shortened, escaped, and isolated from the text direction of the page."""
    shown = without_controls(text)
    return f"<bdi>{escape(shown if len(shown) <= 300 else shown[:299] + '…')}</bdi>"
