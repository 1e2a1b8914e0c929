"""How far an audiobook is: a bar or, with --json, lines."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from voxmatrix.cli.terminal.progress import print_progress, progress
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.book.make import OnBookProgress
    from voxmatrix.work.job import JobProgress

_WORK = "sentences spoken"
#: Between two lines.
_JSON_SECONDS = 1.0


@contextmanager
def speaking_progress(as_json: bool, chapters: int) -> Iterator["OnBookProgress"]:
    """Progress as a bar or, with --json, as a JSON line every second."""
    if as_json:
        yield _json_lines(chapters)
        return
    shown = ""
    with progress("speak", _WORK, note=lambda: shown) as on_progress:

        def progressed(state: "JobProgress", complete: int) -> None:
            nonlocal shown
            speed = sum(state.speeds.values())
            shown = f"{pluralise(complete, 'chapter')} of {chapters}" + (f", {speed:.3g}× real time" if speed else "")
            on_progress(state.done + state.given_up, state.total)

        yield progressed


def _json_lines(chapters: int) -> "OnBookProgress":
    last = 0.0

    def progressed(state: "JobProgress", complete: int) -> None:
        nonlocal last
        now = time.monotonic()
        if state.seconds_left and now - last < _JSON_SECONDS:
            return
        last = now
        line = {
            "work": _WORK,
            "done": state.done,
            "given_up": state.given_up,
            "total": state.total,
            "chapters_done": complete,
            "chapters": chapters,
            "audio_seconds": round(state.audio_seconds, 1),
            "seconds_left": None if state.seconds_left is None else round(state.seconds_left, 1),
            "speeds": {worker: round(speed, 2) for worker, speed in state.speeds.items()},
        }
        print_progress("speak", line)

    return progressed
