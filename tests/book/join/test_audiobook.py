import hashlib
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.book.join.books import SOURCE, VOICE, book, image, speech
from voxmatrix.book.content import Book, Cover
from voxmatrix.book.join.audiobook import join_book
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.errors import BadInputError, DamagedFileError, UsageError


@pytest.fixture
def units(tmp_path: Path) -> list[Spoken]:
    return speech(tmp_path / "units", [2, 0, 3])


CONTENT = book(["One", "Empty", "Tre"], Cover("image/png", image("PNG")))


def test_the_certificate_lists_every_sentence(tmp_path: Path, units: list[Spoken]) -> None:
    units[0] = replace(units[0], text="Å, \ud83d half a character.")
    joined = join_book(CONTENT, units, tmp_path / "B.m4b", JoinSettings(), source=SOURCE, voice=VOICE)
    assert joined.manifest == tmp_path / "B.manifest.json" and joined.sound == (tmp_path / "B.m4b",)
    found = json.loads(joined.manifest.read_text(encoding="utf-8"))
    assert found["book"] == {"name": "book.epub", "sha256": "1" * 64}
    assert found["voice"] == {"name": "alba", "sha256": "2" * 64}
    assert found["complete"] is True
    assert [(one["index"], one["title"]) for one in found["chapters"]] == [(1, "One"), (2, "Empty"), (3, "Tre")]
    at = 0.0
    for chapter in found["chapters"]:
        assert chapter["start_seconds"] == pytest.approx(at, abs=0.002) and chapter["seconds"] > 0
        at += chapter["seconds"]
    assert at == pytest.approx(joined.seconds, abs=0.01)
    assert len(found["units"]) == len(units)
    starts = {chapter["index"]: chapter["start_seconds"] for chapter in found["chapters"]}
    for unit, following in pairwise(found["units"]):
        assert unit["start_seconds"] + unit["samples"] / unit["rate_hz"] <= following["start_seconds"]
    assert all(unit["start_seconds"] == starts[unit["chapter"]] for unit in found["units"] if unit["index"] == 1)
    for unit, one in zip(found["units"], units, strict=True):
        assert (unit["chapter"], unit["index"], unit["text"]) == (one.chapter, one.index, one.text)
        assert (unit["samples"], unit["rate_hz"], unit["audio_sha256"]) == (one.samples, one.rate_hz, one.sha256)
        assert unit["text_sha256"] == hashlib.sha256(one.text.encode("utf-8", "surrogatepass")).hexdigest()
        assert -40 < unit["loudness_lufs"] < 0


def test_everything_at_once_and_twice_the_same(tmp_path: Path, units: list[Spoken]) -> None:
    settings = JoinSettings(subtitles=True, overlay=True)
    runs = []
    for name in ("a", "b"):
        join_book(CONTENT, units, tmp_path / name / "B.mp3", settings, source=SOURCE, voice=VOICE)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        runs.append({str(path.relative_to(tmp_path / name)): path.read_bytes() for path in files})
    assert sorted(runs[0]) == [
        "B.epub",
        "B.manifest.json",
        "B.srt",
        "B.vtt",
        "B/01 One.mp3",
        "B/02 Empty.mp3",
        "B/03 Tre.mp3",
        "B/A Book.m3u8",
    ]
    assert runs[0] == runs[1]


def test_a_gap_leaves_no_certificate_and_no_audiobook(tmp_path: Path, units: list[Spoken]) -> None:
    with pytest.raises(BadInputError, match="chapter 3, sentence 2 is missing"):
        join_book(CONTENT, [*units[:3], units[4]], tmp_path / "B.m4b", JoinSettings(), source=SOURCE, voice=VOICE)
    assert [path.name for path in tmp_path.iterdir()] == ["units"]


def test_damaged_speech_leaves_the_finished_audiobook_as_it_is(tmp_path: Path, units: list[Spoken]) -> None:
    out = tmp_path / "B.m4b"
    joined = join_book(CONTENT, units, out, JoinSettings(), source=SOURCE, voice=VOICE)
    before = (out.read_bytes(), joined.manifest.read_bytes())
    units[4].path.write_bytes(units[4].path.read_bytes()[:-2])
    with pytest.raises(DamagedFileError, match="chapter 3, sentence 3"):
        join_book(CONTENT, units, out, JoinSettings(), source=SOURCE, voice=VOICE)
    assert (out.read_bytes(), joined.manifest.read_bytes()) == before


def test_a_new_audiobook_that_fails_has_no_old_certificate(
    tmp_path: Path, units: list[Spoken], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "B.m4b"
    joined = join_book(CONTENT, units, out, JoinSettings(), source=SOURCE, voice=VOICE)

    def interrupt(done: int, total: int) -> None:
        if total == len(CONTENT.chapters):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        join_book(CONTENT, units, out, JoinSettings(), source=SOURCE, voice=VOICE, on_progress=interrupt)
    assert out.exists() and not joined.manifest.exists()


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"<svg/>", image("JPEG")[:300], b"\xff\xd8\xff" + bytes(100)])
def test_a_damaged_cover_costs_no_audiobook(tmp_path: Path, units: list[Spoken], data: bytes) -> None:
    content = replace(CONTENT, cover=Cover("image/svg+xml", data))
    joined = join_book(content, units, tmp_path / "B.m4b", JoinSettings(), source=SOURCE, voice=VOICE)
    assert joined.sound[0].exists()
    assert [one.severity for one in joined.findings] == ["warning"] and "image/svg+xml" in joined.findings[0].problem


def test_a_book_without_chapters_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no sentence"):
        join_book(Book("", (), "", None, ()), [], tmp_path / "B.m4b", JoinSettings(), source=SOURCE, voice=VOICE)


def test_an_unknown_format_is_named_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown extension") as caught:
        join_book(CONTENT, [], tmp_path / "B.aax", JoinSettings(), source=SOURCE, voice=VOICE)
    assert ".m4b" in caught.value.remedy
