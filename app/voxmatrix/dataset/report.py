"""An HTML report on a folder of recordings: used and left out recordings, problems and charts."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from voxmatrix.dataset.charts import durations, paces, printable
from voxmatrix.dataset.prepared import MeasuredRecording, PreparedSet
from voxmatrix.dataset.report_page import document
from voxmatrix.files import write_text
from voxmatrix.transcripts.problem import Problem
from voxmatrix.wording import count

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
        f"<h1>{count(len(prepared.clips), 'recording')} ready, {len(prepared.left_out)} left out</h1>",
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
            f"{_severity(problem.severity)}: {_safe(problem.problem)} <small>→ {_safe(problem.remedy)}</small>"
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
        f"<details><summary>{count(len(good), 'recording')} without problems</summary>{table}</details>" if good else ""
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


def _safe(text: str) -> str:
    """Untrusted text: printable, shortened, escaped, and isolated from the text direction of the page."""
    shown = printable(text)
    return f"<bdi>{escape(shown if len(shown) <= 300 else shown[:299] + '…')}</bdi>"
