"""Chapters that are written while the book is spoken. What is in them: tests/book/join/test_chapter_files.py."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.book.join.books import book
from voxmatrix.book import partial
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.loudness import SpeechMeter
from voxmatrix.book.units import BookUnit
from voxmatrix.models.style import Style
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.ledger import Ledger
from voxmatrix.work.unit import unit_of


class _Ledger:
    """A job whose sentences are all spoken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def delivery(self, key: str) -> Delivery:
        return Delivery(key=key, sha256=key, samples=1, rate_hz=16000, worker="cpu-1", wall_seconds=1.0)

    def audio(self, key: str) -> Path:
        return self.folder / key


def test_an_interruption_does_not_wait_for_a_chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(*_: Any, check: Callable[[], None], **__: Any) -> Path:
        begun.set()
        try:
            while True:  # hours of speech
                check()
                time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr(partial, "join_chapter", endless)
    units = [
        BookUnit(chapter=chapter, index=1, starts_paragraph=True, unit=unit_of(f"Sentence {chapter}.", "alba", Style()))
        for chapter in (1, 2)
    ]
    chapters = partial.PartialChapters(
        book(["One", "Two"]),
        units,
        cast(Ledger, _Ledger(tmp_path)),
        tmp_path / "B.partial",
        JoinSettings(),
        meter=SpeechMeter(),
    )
    with pytest.raises(KeyboardInterrupt), chapters:
        begun.wait()
        raise KeyboardInterrupt
    assert ended.is_set()
