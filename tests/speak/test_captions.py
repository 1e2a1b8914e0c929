import json
import re
import subprocess
import wave
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.cli import main
from voxmatrix.speak.captions import FORMATS, Caption, CaptionWord, as_json, cues, lrc, srt, vtt

HOSTILE = "a --> b <script>x</script> &amp; {\\an8} 00:00:00,000 --> 00:00:09,000 & <c.x> <"


def line_of(*texts: str, seconds: int = 10) -> list[Caption]:
    """Captions with 0.3 s between them."""
    starts = [(1000 * seconds + 300) * number for number in range(len(texts))]
    return [Caption(text, start, start + 1000 * seconds) for text, start in zip(texts, starts, strict=True)]


def spoken_line(*words: str) -> Caption:
    """A caption whose words take 100 ms, and those with a capital one second."""
    found, at = [], 0
    for word in words:
        length = 1000 if word[0].isupper() else 100
        found.append(CaptionWord(word, at, at + length))
        at += length
    return Caption(" ".join(words), 0, at, tuple(found))


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


def test_words_tell_when_the_next_lines_of_a_sentence_begin() -> None:
    (first, second) = cues([spoken_line(*["Long"] * 17, *["short"] * 9, "end.")])
    assert first.lines == ("Long Long Long Long Long Long Long Long", "Long Long Long Long Long Long Long Long")
    assert (first.start_ms, second.start_ms, second.end_ms) == (0, 16_000, 18_000)


@given(st.lists(st.text("ab -—\u00e4", max_size=30), min_size=1, max_size=30))
def test_lines_begin_with_one_of_their_words(words: list[str]) -> None:
    caption = spoken_line(*[word.strip() or "x" for word in words])
    shown = list(cues([caption]))
    starts = {word.start_ms for word in caption.words}
    assert all(cue.start_ms in starts for cue in shown)
    assert all(one.end_ms == other.start_ms for one, other in pairwise(shown))


def test_lyrics_have_the_time_of_every_word() -> None:
    captions = [spoken_line("Hello", "there."), Caption("No  words\nhere.", 61_500, 62_000)]
    assert lrc(captions) == "[00:00.00] <00:00.00> Hello <00:01.00> there.\n[01:01.50] No words here.\n"


def test_json_is_that_of_transcriptions() -> None:
    content = json.loads(as_json([spoken_line("Hello", "thére.")]))
    assert content == {
        "text": "Hello thére.",
        "segments": [{"text": "Hello thére.", "start": 0.0, "end": 1.1}],
        "words": [{"word": "Hello", "start": 0.0, "end": 1.0}, {"word": "thére.", "start": 1.0, "end": 1.1}],
    }


@pytest.mark.parametrize("name", FORMATS)
def test_speak_writes_captions_beside_the_speech(name: str, make_onnx: Any, tmp_path: Path) -> None:
    voice, out, captions = make_onnx("x_low", 1, "text"), tmp_path / "a.wav", tmp_path / f"a.{name}"
    text = "Hello there, 911 friends. And — goodbye!"
    command = [
        "speak",
        "--seed",
        "1",
        "--voice",
        str(voice),
        "--text",
        text,
        "--out",
        str(out),
        "--captions",
        str(captions),
    ]
    assert main.run(command) == 0
    written = captions.read_text(encoding="utf-8")
    for word in text.split():
        assert word in written
    assert main.run([*command, "--out", str(tmp_path / "b.wav")]) == 2  # it exists
    assert main.run([*command, "--force"]) == 0

    with wave.open(str(out)) as file:
        seconds = file.getnframes() / file.getframerate()
    if name == "json":
        content = json.loads(written)
        assert [one["word"] for one in content["words"]] == ["Hello", "there,", "911", "friends.", "And —", "goodbye!"]
        assert content["words"][4]["start"] > content["segments"][0]["end"] + 0.19  # the pause
        assert content["segments"][1]["end"] == pytest.approx(seconds, abs=0.01)
    if name in ("srt", "vtt"):
        webvtt = pytest.importorskip("webvtt")
        reader = webvtt.from_srt if name == "srt" else webvtt.read
        read = list(reader(str(captions)))
        assert [caption.text.replace("\n", " ") for caption in read] == ["Hello there, 911 friends.", "And — goodbye!"]
        assert read[1].end_in_seconds == int(seconds) or read[1].end_in_seconds == pytest.approx(seconds, abs=0.01)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--captions", "a.txt"], ".srt, .vtt, .lrc, .json"),
        (["--batch", ".", "--captions", "a.srt"], "choose for all texts one of: srt, vtt, lrc, json"),
    ],
)
def test_captions_without_a_format_or_of_many_texts_are_refused(
    more: list[str], message: str, capsys: pytest.CaptureFixture[str], make_onnx: Any
) -> None:
    voice = ["--voice", str(make_onnx("x_low", 1, "text"))]
    text = [] if "--batch" in more else ["--text", "Hello."]
    assert main.run(["speak", *voice, *text, "--out", "somewhere", *more]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
