"""One page about a folder of recordings: what is used, what is left out and why, and how they look."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from voxmatrix.dataset.charts import durations, paces, printable
from voxmatrix.dataset.prepared import MeasuredRecording, PreparedSet
from voxmatrix.dataset.report_page import document
from voxmatrix.files import write_text
from voxmatrix.transcripts.problem import Problem

#: Recordings without a problem that the page lists; those with one are all listed.
_MOST_GOOD = 5000


def write_report(prepared: PreparedSet, out: Path) -> None:
    """Write the page to `out`, whole or not at all.

    Raises:
        UnreachableError: `out` cannot be written.
    """
    write_text(out, page(prepared))


def page(prepared: PreparedSet) -> str:
    """The page as HTML. Names and texts of recordings are never trusted: each is escaped on its way in."""
    outliers = [problem.id for problem in prepared.problems if problem.kind == "text-does-not-fit"]
    body = [
        f"<h1>{len(prepared.clips)} recordings ready, {_left_out(prepared)} left out</h1>",
        _figures(prepared),
        durations(prepared.measured),
        paces(prepared.measured, outliers),
        _kinds(prepared.problems),
        _problems(prepared),
        _good(prepared),
    ]
    return document("Recordings", "".join(body))


def _left_out(prepared: PreparedSet) -> int:
    """Recordings that cannot be used, with lines that name none and texts without a recording."""
    measured = {(one.id, one.place) for one in prepared.measured if not one.used}
    others = {(problem.id, problem.place) for problem in prepared.problems if problem.severity == "error"}
    return len(measured | others)


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
    rows = [[_safe(kind), _severity(severity), _number(count)] for (kind, severity), count in counts.most_common()]
    return "<h2>Problems</h2>" + _table("How many of each kind", ("kind", "what follows", "times"), rows)


def _problems(prepared: PreparedSet) -> str:
    if not prepared.problems:
        return ""
    measured: dict[tuple[str, str], MeasuredRecording] = {(one.id, one.place): one for one in prepared.measured}
    grouped: dict[tuple[str, str], list[Problem]] = defaultdict(list)
    for problem in prepared.problems:
        grouped[problem.id, problem.place].append(problem)
    rows = []
    for (identity, place), problems in grouped.items():
        one = measured.get((identity, place))
        what = "<br>".join(
            f"{_severity(problem.severity)}: {_safe(problem.problem)} <small>→ {_safe(problem.remedy)}</small>"
            for problem in problems
        )
        rows.append([_safe(identity), _safe(place), what, _seconds(one), _safe(one.text if one else "")])
    columns = ("recording", "where it is named", "what is wrong", "seconds", "text")
    return _table("Every recording with a problem", columns, rows)


def _good(prepared: PreparedSet) -> str:
    bad = {(problem.id, problem.place) for problem in prepared.problems}
    good = [one for one in prepared.measured if one.used and (one.id, one.place) not in bad]
    rows = [
        [_safe(one.id), _safe(one.speaker or ""), _seconds(one), _number(f"{_pace(one):.1f}"), _safe(one.text)]
        for one in good[:_MOST_GOOD]
    ]
    more = f" (the first {_MOST_GOOD} of {len(good)})" if len(good) > _MOST_GOOD else ""
    columns = ("recording", "speaker", "seconds", "characters a second", "text")
    table = _table(f"Recordings without a problem{more}", columns, rows)
    return f"<details><summary>{len(good)} recordings without a problem</summary>{table}</details>" if good else ""


def _table(caption: str, columns: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col"><button>{name}</button></th>' for name in columns)
    lines = "".join(f"<tr>{''.join(_cell(value) for value in row)}</tr>\n" for row in rows)
    return (
        f'<div class="scroll"><table><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _cell(value: str) -> str:
    return value if value.startswith("<td") else f"<td>{value}</td>"


def _number(value: int | str) -> str:
    return f'<td class="number">{value}</td>'


def _seconds(one: MeasuredRecording | None) -> str:
    return _number(f"{one.seconds:.2f}" if one and one.seconds else "")


def _pace(one: MeasuredRecording) -> float:
    return one.characters / one.seconds if one.seconds else 0.0


def _severity(severity: str) -> str:
    return '<span class="error">left out</span>' if severity == "error" else "used, but"


def _safe(text: str) -> str:
    """Foreign text: escaped, without controls, its direction kept to itself, and not longer than one reads."""
    shown = printable(text)
    return f"<bdi>{escape(shown if len(shown) <= 300 else shown[:299] + '…')}</bdi>"
