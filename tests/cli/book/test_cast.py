"""A book with the voices of its characters, alone and over two workers."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401
from voxmatrix.cli import main
from voxmatrix.config import home

BOOK = (
    "# One\n\nIt was late. [pause:1.5s] [voice:Anna] Who is there? Say it! [voice:Bo] It is me.\n\n"
    "Nobody else.\n\n[voice] And so it was. [pause:2s]\n\n# Two\n\nIt ended.\n"
)


@pytest.fixture(autouse=True)
def _voices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_onnx: Any) -> None:  # noqa: F811
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXMATRIX_THREADS", "1")
    for name, made in {"teller": ("tiny", 1), "anna": ("medium", 1), "many": ("x_low", 3)}.items():
        source = make_onnx(*made, "text")
        shutil.copy(source, f"{name}.onnx")
        shutil.copy(f"{source}.json", f"{name}.onnx.json")
    Path("book.md").write_text(BOOK, encoding="utf-8")
    Path("cast.txt").write_text("Anna|anna.onnx\nBo|many.onnx|1\n", encoding="utf-8")


def make(capsys: pytest.CaptureFixture[str], out: str, *more: str) -> dict[str, Any]:
    command = ["book", "book.md", "--voice", "teller.onnx", "--cast", "cast.txt", "--out", out, "--json", *more]
    assert main.run(command) == 0, capsys.readouterr()
    return dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


def digests(made: dict[str, Any]) -> list[str]:
    return [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in made["out"]]


def seconds(clock: str) -> float:
    hours, minutes, rest = clock.replace(",", ".").split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(rest)


def test_three_voices_and_pauses_are_the_same_alone_and_over_two_workers(capsys: pytest.CaptureFixture[str]) -> None:
    alone = make(capsys, "a/B.mp3", "--subtitles", "--parallel-voices", "1")
    shutil.rmtree(home() / "jobs")  # all is spoken again
    both = make(capsys, "b/B.mp3", "--subtitles", "--parallel-voices", "2")
    assert digests(alone) == digests(both)
    assert alone["spoken"] == both["spoken"] == 9

    srt = Path("a/B.srt").read_text(encoding="utf-8")
    assert "[" not in srt and "Who is there?" in srt
    times = [line.split(" --> ") for line in srt.splitlines() if "-->" in line]
    ends = {text: times[number] for number, text in enumerate(_cues(srt))}
    silence = seconds(ends["Who is there?"][0]) - seconds(ends["It was late."][1])
    assert silence == pytest.approx(1.7, abs=0.01)
    between = seconds(ends["Two"][0]) - seconds(ends["And so it was."][1])
    assert between == pytest.approx(4.0, abs=0.01)


def _cues(srt: str) -> list[str]:
    return [part.split("\n", 2)[2].strip() for part in srt.strip().split("\n\n")]


def test_only_what_has_another_voice_is_spoken_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert make(capsys, "B.mp3")["spoken"] == 9
    Path("cast.txt").write_text("Anna|many.onnx|0\nBo|many.onnx|1\n", encoding="utf-8")
    again = make(capsys, "B.mp3", "--force")
    assert (again["spoken"], again["kept"]) == (2, 7)
    Path("book.md").write_text(BOOK.replace("[pause:1.5s]", "[pause:3s]"), encoding="utf-8")
    assert make(capsys, "B.mp3", "--force")["spoken"] == 0


def test_a_voice_without_a_role_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("cast.txt").write_text("Anna|anna.onnx\n", encoding="utf-8")
    command = ["book", "book.md", "--voice", "teller.onnx", "--cast", "cast.txt", "--out", "B.mp3"]
    assert main.run(command) == 3
    assert "Bo" in capsys.readouterr().err


def test_a_sentence_of_two_voices_has_no_gap_and_the_certificate_names_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("book.md").write_text(
        "# One\n\n[voice:Bo]Yes, I know,[voice] said [voice:Teller]the old man.\n", encoding="utf-8"
    )
    Path("cast.txt").write_text("Bo|many.onnx|1\nTeller|teller.onnx\n", encoding="utf-8")
    make(capsys, "B.mp3")
    title, cut, rest = json.loads(Path("B.manifest.json").read_text(encoding="utf-8"))["units"]
    assert [unit["voice"] for unit in (title, cut, rest)] == ["teller.onnx", "many.onnx#1", "teller.onnx"]
    assert rest["text"] == "said the old man."
    silence = rest["start_seconds"] - cut["start_seconds"] - cut["samples"] / cut["rate_hz"]
    assert silence == pytest.approx(0.06, abs=0.002)


PLAY = "# One\n\nA room.\n\n**Anna**: It rains.\n\n**Bo**: Yes. [Exit.]\n\n" + "**Anna**: No.\n\n**Bo**: Oh.\n\n" * 2


def test_a_play_has_the_voices_of_its_speakers_and_names_that_nothing_uses_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("book.md").write_text(PLAY, encoding="utf-8")
    Path("cast.txt").write_text("anna|anna.onnx\nEve|many.onnx|1\n", encoding="utf-8")
    command = ["book", "book.md", "--voice", "teller.onnx", "--cast", "cast.txt", "--out", "p.m4b", "--exclude"]
    assert main.run([*command, "stage-directions"]) == 0
    assert "does not use eve of the cast" in capsys.readouterr().err
    units = json.loads(Path("p.manifest.json").read_text(encoding="utf-8"))["units"]
    assert [(unit["voice"], unit["text"], unit.get("who"), unit.get("rule")) for unit in units[:4]] == [
        ("teller.onnx", "One", None, None),
        ("teller.onnx", "A room.", None, None),
        ("anna.onnx", "It rains.", "Anna", "name"),
        ("teller.onnx", "Bo: Yes.", "Bo", "name"),
    ]


def test_what_is_said_has_the_dialogue_voice(capsys: pytest.CaptureFixture[str]) -> None:
    Path("book.md").write_text("# One\n\n“It rains,” he said. It did.\n\nBo: No.\n", encoding="utf-8")
    make(capsys, "d.m4b", "--dialogue-voice", "anna.onnx")
    units = json.loads(Path("d.manifest.json").read_text(encoding="utf-8"))["units"]
    assert [(unit["voice"], unit["text"]) for unit in units[1:]] == [
        ("anna.onnx", "“It rains,”"),
        ("teller.onnx", "he said."),
        ("teller.onnx", "It did."),
        ("many.onnx#1", "No."),
    ]
