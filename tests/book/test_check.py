"""A book is certified only if its sentences can be speech of their texts, and nothing good is replaced by worse."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.toys.family import voice_of
from tests.work import openings
from voxmatrix.book.check import Doubt
from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.make import BookJob, BookRequest, open_book_job
from voxmatrix.errors import BadInputError
from voxmatrix.models.style import Runtime, Style
from voxmatrix.work.local_executor import LocalExecutor

GOOD = ("The boat came early.", "Nobody saw it.", "Two.")


class Made:
    """A book of sentences, spoken by a voice that says some wrong."""

    def __init__(self, folder: Path, *paragraphs: str, **style: Any) -> None:
        source = folder / "book.txt"
        source.write_text("a book", encoding="utf-8")
        chapter = Chapter(1, "One", paragraphs)
        self.request = BookRequest(
            source=source,
            book=Book(title="A Book", authors=(), language="en", cover=None, chapters=(chapter,)),
            language="en",
            voice=voice_of(folder / "voice.tones"),
            out=folder / "B.m4b",
            style=Style(**style),
            joining=JoinSettings(),
        )

    def workers(self, incoming: Path, _most: int) -> LocalExecutor:
        request = self.request
        opening = openings.by_first_word
        return LocalExecutor(request.voice, request.style, incoming, Runtime(), workers=1, opening=opening)

    @contextmanager
    def spoken(self) -> Iterator[BookJob]:
        with open_book_job(self.request) as job:
            job.speak(self.workers, lambda progress, chapters: None)
            yield job

    def checked(self, job: BookJob, *, again: bool = False, full: bool = True) -> list[Doubt]:
        return job.check(None, lambda done, total: None, again=self.workers if again else None, full=full)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))


@pytest.mark.parametrize(("first", "problem"), [("Tiny", "0.02 s, too short"), ("Quiet", "it is silent")])
@pytest.mark.parametrize("again", [False, True])
def test_a_voice_that_says_all_of_it_wrong_is_refused_by_name(
    tmp_path: Path, first: str, problem: str, again: bool
) -> None:
    made = Made(tmp_path, f"{first} boats came. {first} dogs barked twice.")
    with made.spoken() as job, pytest.raises(BadInputError, match=r"the voice voice is at fault.*2 of 2") as refused:
        made.checked(job, again=again, full=again)
    assert problem in refused.value.problem and refused.value.exit_code == 3
    assert not made.request.out.exists() and not (tmp_path / "B.manifest.json").exists()
    with made.spoken() as job, pytest.raises(BadInputError, match="at fault"):
        made.checked(job)


def test_what_was_said_wrong_is_spoken_again_by_the_same_command(tmp_path: Path) -> None:
    made = Made(tmp_path, *GOOD, "Tiny dogs barked.")
    with made.spoken() as job, pytest.raises(BadInputError, match="1 of 4"):
        made.checked(job)
    with open_book_job(made.request) as job:
        outcome = job.speak(made.workers, lambda progress, chapters: None)
    assert (outcome.spoken, outcome.known) == (1, 3)


def test_good_sentences_among_many_bad_ones_are_not_in_doubt(tmp_path: Path) -> None:
    bad = [f"Tiny sentence number {number}." for number in range(5)]
    made = Made(tmp_path, *GOOD, *bad)
    with made.spoken() as job:
        before = {unit.place: unit for unit in job.units}
        with pytest.raises(BadInputError, match="5 of 8 sentences"):
            made.checked(job, again=True)
        assert {unit.place: unit for unit in job.units} == before


def test_a_retake_replaces_only_what_it_improves(tmp_path: Path) -> None:
    made = Made(tmp_path, *GOOD, "Moody dogs barked twice.")
    with made.spoken() as job:
        before = job.units
        assert made.checked(job, again=True) == []
        assert [new is old for new, old in zip(job.units, before, strict=True)] == [True, True, True, False]
        job.join(lambda done, total: None)
    checked = json.loads((tmp_path / "B.manifest.json").read_text(encoding="utf-8"))["checked"]
    assert checked == {"by": "sound", "doubtful": [], "sentences": 4, "repaired": 1}


def test_a_single_sentence_of_a_long_book_is_named_only(tmp_path: Path) -> None:
    made = Made(tmp_path, *(f"Sentence number {number}." for number in range(120)), "Tiny dogs barked.")
    with made.spoken() as job:
        (doubt,) = made.checked(job, full=False)
    assert doubt.impossible and doubt.text == "Tiny dogs barked." and "too short" in doubt.problem


def test_silence_at_no_volume_is_what_was_asked_for(tmp_path: Path) -> None:
    made = Made(tmp_path, "Quiet boats came.", volume=0.0)
    with made.spoken() as job:
        assert made.checked(job, full=False) == []
