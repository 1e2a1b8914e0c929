"""`voxmatrix speak --batch`: the words, the outcomes in their order, the exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from voxmatrix.cli import main

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXMATRIX_PARALLEL_VOICES", "1")


def speak(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main.run(["speak", *words, "--json"])
    return code, dict(json.loads(capsys.readouterr().out.splitlines()[-1]))


def test_a_list_becomes_files_and_what_fails_is_named_in_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("list.csv").write_text("b|Good morning.\nbad|🙂🙂\n../a|Good night, and sleep well.\n", encoding="utf-8")

    code, said = speak(capsys, "--batch", "list.csv", "--out", "out")

    assert code == said["exit_code"] == 3 and "nothing to speak" in said["problem"] and said["remedy"]
    assert [item["id"] for item in said["items"]] == ["b", "bad", "../a"]
    assert said["items"][0]["out"] == str(Path("out", "b.wav")) and said["items"][0]["seconds"] > 0.3
    assert "nothing to speak" in said["items"][1]["problem"] and said["items"][1]["exit_code"] == 3
    assert (said["spoken"], said["skipped"], said["failed"]) == (2, 0, 1)
    assert said["seconds"] == pytest.approx(said["items"][0]["seconds"] + said["items"][2]["seconds"])
    assert sorted(path.name for path in tmp_path.joinpath("out").iterdir()) == ["_._a.wav", "b.wav"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["list.csv", "out"]


def test_captions_stand_beside_each_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("list.csv").write_text("a|Good morning. It is late.\nb|Good night.\n", encoding="utf-8")
    given = ["--batch", "list.csv", "--seed", "1", "--out"]
    assert speak(capsys, *given, "out", "--captions", "json")[0] == 0
    alone = ["--text", "Good morning. It is late.", "--seed", "1", "--out", "a.wav", "--captions", "a.json"]
    assert speak(capsys, *alone)[0] == 0
    assert Path("out/a.json").read_bytes() == Path("a.json").read_bytes()
    assert [word["word"] for word in json.loads(Path("out/b.json").read_text())["words"]] == ["Good", "night."]

    for more, reason in {"doc": "--captions", "srt --cluster redis://127.0.0.1:9": "cluster make no captions"}.items():
        code, said = speak(capsys, *given, "no", "--captions", *more.split())
        assert code == 2 and reason in said["problem"] and not Path("no").exists()


def test_a_text_whose_captions_could_not_be_written_is_spoken_by_the_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("list.csv").write_text("a|Good morning.\n", encoding="utf-8")
    given = ["--batch", "list.csv", "--out", "out", "--captions", "srt"]
    Path("out/a.srt").mkdir(parents=True)
    assert speak(capsys, *given)[0] != 0
    assert not Path("out/a.wav").exists()
    Path("out/a.srt").rmdir()
    code, said = speak(capsys, *given)
    assert (code, said["spoken"]) == (0, 1) and Path("out/a.srt").is_file()


def test_the_same_command_goes_on_and_says_how_many_were_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in (1, 2, 10):
        (folder / f"{number}.txt").write_text(f"This is text {number}.")
    words = ["speak", "--batch", "texts", "--out", "out", "--format", "FLAC"]

    assert main.run(words) == 0
    first = capsys.readouterr()
    assert [line.split(":")[0] for line in first.out.splitlines()] == [
        *(str(Path("out", f"{number}.flac")) for number in (1, 2, 10)), "out",
    ]  # fmt: skip
    assert "characters spoken: 46/46" in first.err
    (tmp_path / "out" / "2.flac").unlink()
    assert main.run(words) == 0
    assert "1 of 3 texts spoken" in (again := capsys.readouterr().out) and "2 skipped" in again
    assert main.run([*words, "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["spoken"] == 3


def test_failures_that_are_alike_are_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lines.txt").write_text("🙂\n" * 7 + "Good morning.\n", encoding="utf-8")

    assert main.run(["speak", "--batch", "lines.txt", "--out", "out"]) == 3

    said = capsys.readouterr()
    assert said.err.count("nothing to speak") == 1 and "0005 and 2 more" in said.err and "  → " in said.err
    assert "1 of 8 texts spoken" in said.out and "7 failed" in said.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--batch", "lines.txt"], "--out"),
        (["--batch", "lines.txt", "--out", "-"], "--out"),
        (["--batch", "lines.txt", "--out", "lines.txt"], "is a file"),
        (["--batch", "lines.txt", "--out", "out", "--text", "x"], "one text"),
        (["--batch", "lines.txt", "--out", "out", "-"], "one text"),
        (["--batch", "lines.txt", "--out", "out", "--format", "doc"], "mp3"),
        (["--batch", "lines.txt", "--out", "out", "--format", "mp3", "--bitrate", "x"], "bit rate"),
        (["--batch", "lines.txt", "--out", "out", "--format", "mp3", "--bitrate", "9999k"], "320k or less"),
        (["--batch", "lines.txt", "--out", "out", "--bitrate", "64k"], "--bitrate has no effect on wav"),
        (["--batch", "lines.txt", "--out", "out", "--format", "m4a", "--raw"], "--raw has no effect on m4a"),
        (["--batch", "lines.txt", "--out", "out", "--parallel-voices", "many"], "--parallel-voices"),
        (["--batch", "lines.doc", "--out", "out"], "--batch"),
    ],
)
def test_words_that_make_no_sense_are_usage(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lines.txt").write_text("Good morning.\n")
    Path("lines.doc").touch()

    code, answer = speak(capsys, *words)

    assert code == answer["exit_code"] == 2 and said in answer["problem"] + answer["remedy"]
    assert not Path("out").exists()


@pytest.mark.parametrize("name", ["list.csv", "list.txt", "list.jsonl"])
def test_a_list_that_is_no_text_is_one_error(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / name).write_bytes(b"PK\3\4\0\0|\n" * 100)
    assert main.run(["speak", "--batch", str(tmp_path / name), "--out", str(tmp_path / "out")]) == 3
    assert "is not a text" in capsys.readouterr().err and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--voice", "no.onnx"], "no voice no.onnx"), (["--speaker", "bo"], "no speaker 'bo'")],
)
def test_what_no_text_could_be_spoken_with_is_bad_input(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("lines.txt").write_text("Good morning.\n\nGood night.\n")

    code, answer = speak(capsys, "--batch", "lines.txt", "--out", "out", *words)

    assert code == answer["exit_code"] == 3 and said in answer["problem"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that can be sent to a group")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_docker_stop_end_it_with_130_and_the_same_command_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "book.txt").write_text("This is a long story, and it never ends. " * 50_000)
    (tmp_path / "texts" / "word.txt").write_text("Hello.")
    words = [
        sys.executable,
        "-m",
        "voxmatrix_entrypoint",
        "speak",
        "--batch",
        str(tmp_path / "texts"),
        "--out",
        str(tmp_path),
    ]
    process = subprocess.Popen(
        [*words, "--parallel-voices", "2"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (tmp_path / "word.wav").exists():  # the book is longer, and was begun first
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.killpg(process.pid, number)

    out, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert (
        "interrupted: book: not spoken: interrupted\n  → run the same command again" in err and "Traceback" not in err
    )
    assert "texts spoken" in out and "1 interrupted" in out and "failed" not in out + err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["texts", "word.wav"]


@pytest.mark.parametrize("device", ["cuda:7", "directml:0"])
def test_a_gpu_that_was_asked_for_and_is_not_there_ends_the_batch_before_it_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], device: str
) -> None:
    Path("list.txt").write_text("Good morning.\n")

    code, said = speak(capsys, "--batch", "list.txt", "--out", "out", "--device", device)

    assert code == said["exit_code"] == 4 and said["remedy"] and not tmp_path.joinpath("out").exists()
