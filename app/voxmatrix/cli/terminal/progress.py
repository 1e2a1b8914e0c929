"""Progress: a bar on a terminal, a line every few seconds elsewhere, nothing with --json."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from voxmatrix.progress import OnProgress

#: Between two lines where there is no terminal.
_PLAIN_SECONDS = 5.0


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[OnProgress]:
    """Yield `on_progress(done, total)`, which writes to standard error: standard output is for results."""
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        with _bar(title) as on_progress:
            yield on_progress
    else:
        yield _plain(title)


@contextmanager
def _bar(title: str) -> Iterator[OnProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _plain(title: str) -> OnProgress:
    started = time.monotonic()
    last = started

    def on_progress(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done < total and now - last < _PLAIN_SECONDS:
            return
        last = now
        left = (now - started) / max(done, 1) * (total - done)
        print(f"{title}: {done}/{total}" + (f", {left:.0f} s left" if done < total else ""), file=sys.stderr)  # noqa: T201

    return on_progress
