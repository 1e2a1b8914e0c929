import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.book.join.books import book
from tests.book.join.test_timeline import said
from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.book.join.subtitles import cues, srt, vtt
from voxmatrix.book.join.timeline import Spoken, Timeline, timeline

HOSTILE = "a --> b <script>x</script> &amp; {\\an8} 00:00:00,000 --> 00:00:09,000 & <c.x> <"


def line_of(*texts: str, seconds: int = 10) -> Timeline:
    sentences: list[Spoken] = []
    for index, text in enumerate(texts, start=1):
        sentence = said(1, index, samples=1000 * seconds, rate_hz=1000)
        sentences.append(Spoken(**{**vars(sentence), "text": text}))
    return timeline(book(["One"]).chapters, sentences)


def test_times_are_those_of_the_sentences() -> None:
    line = line_of("Hello there.", "And goodbye.", seconds=4000)
    assert srt(line) == (
        "1\n00:00:00,000 --> 01:06:40,000\nHello there.\n\n2\n01:06:40,300 --> 02:13:20,300\nAnd goodbye.\n\n"
    )
    assert vtt(line) == (
        "WEBVTT\n\n00:00:00.000 --> 01:06:40.000\nHello there.\n\n01:06:40.300 --> 02:13:20.300\nAnd goodbye.\n"
    )


@given(st.lists(st.text(max_size=400), min_size=1, max_size=5))
def test_cues_are_short_in_order_and_hold_every_word(texts: list[str]) -> None:
    line = line_of(*texts)
    found = list(cues(line))
    for cue in found:
        assert 1 <= len(cue.lines) <= 2 and all(len(text) <= 42 for text in cue.lines)
        assert cue.start_ms < cue.end_ms
    assert all(before.end_ms <= after.start_ms for before, after in pairwise(found))
    shown = re.sub(r"\s", "", "".join("".join(cue.lines) for cue in found))
    assert shown == re.sub(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "", "".join(texts))
    assert srt(line).count("-->") == vtt(line).count("-->") == len(found)


def test_a_long_sentence_shares_its_time_by_characters() -> None:
    found = list(cues(line_of("x" * 84 + " " + "y" * 84 + " " + "z" * 42)))
    assert [(cue.start_ms, cue.end_ms) for cue in found] == [(0, 4000), (4000, 8000), (8000, 10000)]


def test_hostile_text_is_text() -> None:
    line = line_of(HOSTILE)
    assert "<" not in vtt(line) and "&lt;script&gt;" in vtt(line) and "&amp;amp;" in vtt(line)
    assert "<s" not in srt(line) and "{\\" not in srt(line) and "&a" not in srt(line)
    assert srt(line).replace("\u2060", "").count("<script>") == 1


@pytest.mark.parametrize("form", [srt, vtt])
def test_a_player_reads_what_was_said(tmp_path: Path, form: object) -> None:
    line = line_of("Hello there.", HOSTILE, "1984", "Last.")
    path = tmp_path / f"a.{getattr(form, '__name__', '')}"
    path.write_text(form(line), encoding="utf-8")  # type: ignore[operator]
    command = [ffmpeg_program(), "-v", "error", "-i", str(path), "-f", "srt", "-"]
    read = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    plain = re.sub(r"\\(?=h)|\u2060", "", read)
    assert len(re.findall(r"^\d+\n\d\d:\d\d:\d\d,\d{3} --> ", plain, re.MULTILINE)) == len(list(cues(line)))
    for word in ("Hello there.", "script", "1984", "Last."):
        assert word in plain
