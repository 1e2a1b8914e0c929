"""Progress: a bar on a terminal, a line every few seconds elsewhere, and JSON lines with --json."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from voxmatrix.cli.terminal.messages import echo
from voxmatrix.progress import Activity, OnProgress
from voxmatrix.wording import printable

#: Between two lines where there is no terminal.
_PLAIN_SECONDS = 5.0
#: Between two lines of JSON; work that takes less prints none.
_JSON_SECONDS = 1.0


@contextmanager
def progress(
    activity: Activity,
    title: str,
    quiet: bool = False,
    note: Callable[[], str] = str,
    *,
    as_json: bool = False,
    begun: int = 0,
) -> Iterator[OnProgress]:
    """Yield `on_progress(done, total)`, which writes to standard error: standard output is for results.

    With `as_json`, lines {"progress": …} go to standard output, before the result, which is its last line.
    `note` returns what to show beside the progress. `begun` is what an earlier command has done: it took no time here.
    """
    if quiet:
        yield lambda done, total: None
    elif as_json:
        yield _json_lines(activity, title, begun)
    elif sys.stderr.isatty():
        with _bar(title, note, begun) as on_progress:
            yield on_progress
    else:
        yield _plain(title, note, begun)


@contextmanager
def _bar(title: str, note: Callable[[], str], begun: int) -> Iterator[OnProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    shown = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[note]}", markup=False))
    columns = (TextColumn("{task.description}", markup=False), *shown)
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(printable(title), total=None, completed=begun, note="")
        yield lambda done, total: bar.update(task, completed=done, total=total, note=printable(note()))


def _plain(title: str, note: Callable[[], str], begun: int) -> OnProgress:
    started = time.monotonic()
    last = started

    def on_progress(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done < total and now - last < _PLAIN_SECONDS:
            return
        last = now
        left = f", {_seconds_left(now - started, done, total, begun):.0f} s left" if begun < done < total else ""
        shown = filter(None, (f"{title}: {done}/{total}{left}", note() if done < total else ""))
        echo("  ".join(shown), err=True)

    return on_progress


def _json_lines(activity: Activity, title: str, begun: int) -> OnProgress:
    started = last = time.monotonic()

    def on_progress(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _JSON_SECONDS:
            return
        last = now
        left = _seconds_left(now - started, done, total, begun)
        seconds_left = round(left, 1) if done > begun else None
        print_progress(activity, {"work": title, "done": done, "total": total, "seconds_left": seconds_left})

    return on_progress


def _seconds_left(seconds: float, done: int, total: int, begun: int) -> float:
    return seconds / max(done - begun, 1) * (total - done)


def print_progress(activity: Activity, facts: dict[str, Any]) -> None:
    """Print a line of progress as JSON."""
    echo(json.dumps({"progress": {"key": activity, **facts}}))
