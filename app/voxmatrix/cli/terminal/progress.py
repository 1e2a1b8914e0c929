"""Progress: a bar on a terminal, a line every few seconds elsewhere, nothing with --json."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from voxmatrix.progress import OnProgress

#: Between two lines where there is no terminal.
_PLAIN_SECONDS = 5.0


@contextmanager
def progress(title: str, quiet: bool = False, note: Callable[[], str] = str) -> Iterator[OnProgress]:
    """Yield `on_progress(done, total)`, which writes to standard error: standard output is for results.

    `note` returns what to show beside the progress.
    """
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        with _bar(title, note) as on_progress:
            yield on_progress
    else:
        yield _plain(title, note)


@contextmanager
def _bar(title: str, note: Callable[[], str]) -> Iterator[OnProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    shown = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[note]}", markup=False))
    columns = (TextColumn("{task.description}"), *shown)
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None, note="")
        yield lambda done, total: bar.update(task, completed=done, total=total, note=note())


def _plain(title: str, note: Callable[[], str]) -> OnProgress:
    started = time.monotonic()
    last = started

    def on_progress(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done < total and now - last < _PLAIN_SECONDS:
            return
        last = now
        left = (now - started) / max(done, 1) * (total - done)
        ending = "  ".join(filter(None, (f", {left:.0f} s left", note()))) if done < total else ""
        print(f"{title}: {done}/{total}{ending}", file=sys.stderr)  # noqa: T201

    return on_progress
