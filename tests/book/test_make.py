"""A book is spoken once, whatever happens, and only what changed is spoken again."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.toys.family import voice_of
from tests.work import openings
from tests.work.test_ledger import earlier_ledger
from voxmatrix.audio.loudness_meter import sound_powers
from voxmatrix.book import partial
from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.join import loudness
from voxmatrix.book.join.audiobook import Joined
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.make import BookRequest, is_unfinished, open_book_job, partial_folder
from voxmatrix.book.shelf import path_digest
from voxmatrix.errors import BadInputError, InterruptedRunError, UsageError
from voxmatrix.models.style import Runtime, Style
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.work.job import JobOutcome, JobProgress
from voxmatrix.work.local_executor import LocalExecutor

Make = Callable[..., tuple[JobOutcome, Joined]]
BOOK = Book(
    title="A Book",
    authors=("Ann",),
    language="en",
    cover=None,
    chapters=(
        Chapter(1, "One", ("One", "The first one. The second one.", "A new paragraph.")),
        Chapter(2, "Two", ("Two", "The first one. The last one.")),
    ),
)


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BookRequest:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    (tmp_path / "book.epub").write_bytes(b"a book")
    return BookRequest(
        source=tmp_path / "book.epub",
        book=BOOK,
        language="en",
        voice=voice_of(tmp_path / "voice.tones"),
        out=tmp_path / "B.m4b",
        style=Style(),
        joining=JoinSettings(),
    )


@pytest.fixture
def make() -> Make:
    def make(request: BookRequest, on_progress: Any = lambda progress, chapters: None) -> tuple[JobOutcome, Joined]:
        def workers(incoming: Path, _most: int) -> LocalExecutor:
            return LocalExecutor(request.voice, request.style, incoming, Runtime(), workers=2, opening=openings.free)

        with open_book_job(request) as job:
            return job.speak(workers, on_progress), job.join(lambda done, total: None)

    return make


def manifest(request: BookRequest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request.out.with_name("B.manifest.json").read_text(encoding="utf-8"))
    return found


def with_text(request: BookRequest, chapter: int, *paragraphs: str) -> BookRequest:
    chapters = list(request.book.chapters)
    chapters[chapter - 1] = replace(chapters[chapter - 1], paragraphs=paragraphs)
    return replace(request, book=replace(request.book, chapters=tuple(chapters)))


def test_every_sentence_is_in_the_certificate_once_and_in_order(request_: BookRequest, make: Make) -> None:
    outcome, joined = make(request_)
    found = manifest(request_)
    assert [(unit["chapter"], unit["index"], unit["text"]) for unit in found["units"]] == [
        (1, 1, "One"),
        (1, 2, "The first one."),
        (1, 3, "The second one."),
        (1, 4, "A new paragraph."),
        (2, 1, "Two"),
        (2, 2, "The first one."),
        (2, 3, "The last one."),
    ]
    assert found["complete"] is True and [chapter["title"] for chapter in found["chapters"]] == ["One", "Two"]
    assert outcome.spoken == 6, "equal sentences are spoken once"
    assert joined.sound == (request_.out,) and request_.out.stat().st_size > 0


def test_only_what_changed_is_spoken_again(request_: BookRequest, make: Make) -> None:
    make(request_)
    outcome, _ = make(with_text(request_, 2, "Two", "The first one. Another end."))
    assert (outcome.spoken, outcome.known) == (1, 5)
    assert manifest(request_)["units"][-1]["text"] == "Another end."


def test_a_pronunciation_changes_only_the_sentences_with_its_word(request_: BookRequest, make: Make) -> None:
    make(request_)
    lexicon = Lexicon((("paragraph", "parrot graph"),))
    outcome, _ = make(replace(request_, style=replace(request_.style, lexicon=lexicon)))
    assert (outcome.spoken, outcome.known) == (1, 5)


def test_what_cannot_be_spoken_is_named_the_rest_is_kept_and_no_audiobook_is_written(
    request_: BookRequest, make: Make
) -> None:
    broken = with_text(request_, 2, "Two", "silent words.", "deadly words.")
    with pytest.raises(BadInputError, match=r"2 sentences of 7 cannot be spoken.*silent words.*deadly words") as error:
        make(broken)
    assert "`lexicon`" in error.value.remedy
    assert not request_.out.exists() and not request_.out.with_name("B.manifest.json").exists()
    outcome, _ = make(request_)
    assert outcome.known == 5, "all but `The last one.`"


def test_ctrl_c_keeps_what_is_spoken_and_the_same_call_goes_on(request_: BookRequest, make: Make) -> None:
    texts = tuple(f"slow sentence number {number}." for number in range(20))
    long = with_text(request_, 2, *texts)

    def interrupt(progress: JobProgress, chapters: int) -> None:
        if progress.done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match=r"\d+ of 24 sentences are kept"):
        make(long, interrupt)
    outcome, _ = make(long)
    assert outcome.known >= 5 and outcome.known + outcome.spoken == 24
    assert len(manifest(long)["units"]) == 24


def test_ctrl_c_while_chapters_are_joined_says_that_the_same_call_goes_on(request_: BookRequest, make: Make) -> None:
    def interrupt(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    outcome, _ = make(request_)
    with (
        pytest.raises(InterruptedRunError, match="what is spoken is kept in") as caught,
        open_book_job(request_) as job,
    ):
        job.join(interrupt)
    assert caught.value.remedy == "run the same command again to continue"
    assert make(request_)[0].known == outcome.spoken


@pytest.mark.parametrize(("soon_seconds", "heard"), [(0.0, {"01 One.mp3"}), (60.0, set())])
def test_complete_chapters_can_be_heard_while_the_rest_is_made_unless_it_is_made_soon(
    request_: BookRequest, make: Make, monkeypatch: pytest.MonkeyPatch, soon_seconds: float, heard: set[str]
) -> None:
    monkeypatch.setattr(partial, "SOON_SECONDS", soon_seconds)
    long = with_text(request_, 2, *(f"slow sentence number {number}." for number in range(30)))
    seen: set[str] = set()

    def look(progress: JobProgress, chapters: int) -> None:
        folder = partial_folder(request_.out)
        seen.update(path.name for path in folder.glob("[0-9]*") if chapters == 1)

    make(long, look)
    assert seen == heard
    assert not partial_folder(request_.out).exists()


def test_a_complete_chapter_of_an_earlier_run_stays_if_nothing_of_it_has_changed(
    request_: BookRequest, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial, "SOON_SECONDS", 0.0)
    long = with_text(request_, 2, *(f"slow sentence number {number}." for number in range(30)))
    file = partial_folder(request_.out) / "01 One.mp3"

    def first_chapter_of_a_run(request: BookRequest) -> bytes:
        """As it is when the run is interrupted, as soon as it is there."""

        def interrupt(progress: JobProgress, chapters: int) -> None:
            if file.exists():
                raise KeyboardInterrupt

        with pytest.raises(InterruptedRunError):
            make(request, interrupt)
        return file.read_bytes()

    made = first_chapter_of_a_run(long)
    (file.parent / "07 Of another edition.mp3").write_bytes(b"")
    file.write_bytes(b"heard while it is made")
    assert first_chapter_of_a_run(long) == b"heard while it is made"
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    changed = with_text(long, 1, "One", "The first one.")
    assert first_chapter_of_a_run(changed) not in (b"heard while it is made", made)


def test_a_book_that_an_earlier_version_began_is_made_anew(request_: BookRequest, make: Make) -> None:
    earlier_ledger(request_.job_folder)
    (request_.job_folder / f"joining-{path_digest(request_.out)}").touch()
    request_.out.touch()  # being written when the earlier command ended
    partial_folder(request_.out).mkdir()
    (partial_folder(request_.out) / "02 Two.mp3").write_bytes(b"of the earlier version")
    seen: set[str] = set()

    def look(progress: JobProgress, chapters: int) -> None:
        seen.update(path.read_bytes()[:3].decode("latin-1") for path in partial_folder(request_.out).glob("[0-9]*"))

    assert is_unfinished(request_.source, request_.out)
    outcome, _ = make(request_, look)

    assert (outcome.spoken, outcome.known) == (6, 0) and len(outcome.findings) == 1
    assert seen <= {"ID3"} and not partial_folder(request_.out).exists()
    assert len(manifest(request_)["units"]) == 7 and not is_unfinished(request_.source, request_.out)


def test_the_loudness_of_each_sentence_is_measured_once(
    request_: BookRequest, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []

    def powers(sound: Any, rate_hz: int) -> Any:
        measured.append(len(sound))
        return sound_powers(sound, rate_hz)

    monkeypatch.setattr(loudness, "sound_powers", powers)
    make(request_)  # of which one sentence is in both chapters
    assert len(manifest(request_)["units"]) == 7 and len(measured) == 6


def test_a_book_without_a_sentence_is_an_error_that_says_where_to_look(request_: BookRequest, make: Make) -> None:
    with pytest.raises(BadInputError, match="no sentence to speak") as error:
        make(with_text(with_text(request_, 1, "* * *"), 2, "—"))
    assert "book inspect" in error.value.remedy


def test_two_books_with_one_output_are_not_made_at_once(request_: BookRequest) -> None:
    (copy := request_.source.with_name("other.epub")).write_bytes(b"a book")
    hold = "import sys\nfrom pathlib import Path\nfrom voxmatrix.lock import locked\n"
    hold += "with locked(Path(sys.argv[1]), 'job', ''):\n    print('held', flush=True)\n    input()\n"
    place = request_.job_folder.with_name(f"out-{path_digest(request_.out)}")
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="another job"), open_book_job(replace(request_, source=copy)):
            pass
        process.kill()


def test_another_output_of_the_same_book_speaks_nothing_twice(request_: BookRequest, make: Make) -> None:
    make(request_)
    one = request_.book.chapters[1]
    for other in (
        replace(request_, out=request_.out.with_name("C.m4b")),
        replace(request_, out=request_.out.with_name("D.mp3"), book=replace(request_.book, chapters=(one,))),
        replace(request_, joining=JoinSettings(narrator="Ann")),
    ):
        assert make(other)[0].spoken == 0
    (copy := request_.source.with_name("other.epub")).write_bytes(b"a book")
    assert make(replace(request_, source=copy))[0].known == 0
