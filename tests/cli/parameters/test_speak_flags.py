"""`voxmatrix speak`: a flag that would have no effect is refused, and so is what makes no sense."""

import json
from pathlib import Path

import pytest

from voxmatrix.cli import main


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def speak(*words: str) -> int:
    return main.run(["speak", "--text", "Hi.", *words])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--out x.wav --format banana", "--format is 'banana'"),
        ("--out x.wav --format mp3", "choose --out x.mp3"),
        ("--out - --format mp3", "--out - streams WAV"),
        ("--out - --format raw", "add --raw"),
        ("--out x.wav --parallel-voices -3", "--parallel-voices is '-3'"),
        ("--out x.wav --parallel-voices 2", "--batch"),
        ("--out x.m4a --raw", "--raw has no effect on m4a"),
        ("--out x.wav --bitrate 64k", "--bitrate has no effect on wav"),
        ("--out - --bitrate 64k", "--bitrate has no effect on wav"),
        ("--out x.mp3 --bitrate 9999k", "320k or less"),
        ("--out x.mp3 --bitrate lots", "--bitrate 96k"),
        ("--out x.doc --raw", "no known extension"),
    ],
)
def test_what_has_no_effect_or_makes_no_sense_is_refused(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert speak(*words.split()) == 2
    heard = capsys.readouterr()
    assert said in heard.err and "  → " in heard.err and not heard.out
    assert not list(Path().iterdir())


def test_json_and_sound_do_not_share_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert speak("--json", "--out", "-") == 2
    answer = json.loads(capsys.readouterr().out)
    assert "--json and --out -" in answer["problem"] and "--out speech.wav" in answer["remedy"]


@pytest.mark.parametrize("words", ["--format wav", "--format .WAV", "--parallel-voices 1", "--parallel-voices auto"])
def test_a_flag_that_asks_for_what_is_done_anyway_is_accepted(words: str) -> None:
    assert speak("--out", "x.wav", *words.split()) == 0


def test_what_is_set_for_other_commands_is_no_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOXMATRIX_BITRATE", "64k")
    monkeypatch.setenv("VOXMATRIX_PARALLEL_VOICES", "2")
    Path("voxmatrix.toml").write_text('format = "mp3"\n', encoding="utf-8")
    assert speak("--out", "x.wav") == 0


def test_a_number_that_makes_no_sense_is_refused_wherever_it_is_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOXMATRIX_PARALLEL_VOICES", "-3")
    assert speak("--out", "x.wav") == 2
    assert "VOXMATRIX_PARALLEL_VOICES is '-3'" in capsys.readouterr().err
