import threading
from pathlib import Path

import pytest

from voxmatrix.dataset.pronunciation import (
    MAX_CHARACTERS,
    Pronouncer,
    front_end_version,
    is_pronounceable,
    pronunciation_key,
)
from voxmatrix.errors import BadInputError


def test_a_text_is_pronounced_letter_by_letter_without_espeak() -> None:
    pronouncer = Pronouncer("en-us", "text")
    spoken = pronouncer.pronounce("It is 5.")
    pronouncer.close()
    assert spoken.phonemes == "it is five."
    assert spoken.characters == 8
    assert not spoken.problem


def test_a_text_that_cannot_be_said_is_said_so_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf:
        def phonemes(self, sentences: list[str]) -> list[list[str]]:
            raise BadInputError("no answer", "change it")

        def close(self) -> None:
            pass

    monkeypatch.setattr("voxmatrix.text.phonemes.phonemizer.phonemizer", lambda kind, voice: Deaf())
    assert Pronouncer("en-us", "text").pronounce("x").problem == "no answer"


def test_each_thread_has_its_own_program_and_all_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2, timeout=10)

    class Slow:
        def __init__(self) -> None:
            self.closed = False
            opened.append(self)

        def phonemes(self, sentences: list[str]) -> list[list[str]]:
            both.wait()
            return [list(sentence) for sentence in sentences]

        def close(self) -> None:
            self.closed = True

    opened: list[Slow] = []
    monkeypatch.setattr("voxmatrix.text.phonemes.phonemizer.phonemizer", lambda kind, voice: Slow())
    pronouncer = Pronouncer("en-us", "text")
    for _ in range(2):  # the second time, those that are open are used again
        threads = [threading.Thread(target=pronouncer.pronounce, args=("word",)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(opened) == 2
    pronouncer.close()
    assert all(one.closed for one in opened)


def test_a_key_depends_on_text_language_and_type() -> None:
    keys = {
        pronunciation_key("a", "en", "text"),
        pronunciation_key("b", "en", "text"),
        pronunciation_key("a", "sv", "text"),
    }
    assert len({*keys, pronunciation_key("a", "en", "espeak")}) == 4


def test_the_version_of_the_front_end_is_one_for_each_type() -> None:
    assert front_end_version("text") == front_end_version("text")
    assert front_end_version("text") != front_end_version("espeak")


def test_only_what_may_be_a_sentence_is_pronounced() -> None:
    assert [is_pronounceable(text) for text in ("", "a", "a" * MAX_CHARACTERS, "a" * (MAX_CHARACTERS + 1))] == [
        False,
        True,
        True,
        False,
    ]


def test_the_version_of_the_front_end_covers_every_file_below_text_and_the_version_of_espeak(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    table = tmp_path / "deep" / "en.toml"
    table.write_text("a = 1")
    monkeypatch.setattr("voxmatrix.dataset.pronunciation.files", lambda _package: tmp_path)
    seen = []
    for version, rows in (("1.52.0", "a = 1"), ("1.53.0", "a = 1"), ("1.53.0", "a = 2")):
        table.write_text(rows)
        monkeypatch.setattr("voxmatrix.text.phonemes.espeak.espeak_version", lambda version=version: version)
        front_end_version.cache_clear()
        seen.append(front_end_version("espeak"))
    front_end_version.cache_clear()
    assert len(set(seen)) == 3
