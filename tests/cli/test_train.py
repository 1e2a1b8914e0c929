"""`voxmatrix train` as it is typed: refused where it cannot be; with --tune measured, kept, trained, interrupted."""

import csv
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.errors import BadInputError
from voxmatrix.machine.profile_store import all_profiles
from voxmatrix.voices.resolve import rename

pytestmark = pytest.mark.usefixtures("forked_programs")

SAMPLES = Path(__file__).resolve().parent.parent.parent / "samples" / "en"


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Six short recordings, the small voice, one step on one thread."""
    data = tmp_path / "data"
    (data / "wavs").mkdir(parents=True)
    with (SAMPLES / "metadata.csv").open(encoding="utf-8") as file:
        lines = list(csv.reader(file, delimiter="|", quoting=csv.QUOTE_NONE))[:6]
    for line in lines:
        (path,) = (SAMPLES / "wavs").glob(f"{line[0]}.*")
        shutil.copy(path, data / "wavs")
    (data / "metadata.csv").write_text("".join("|".join(line) + "\n" for line in lines), encoding="utf-8")
    return [
        "train", str(data), "--out", str(tmp_path / "run"), "--quality", "tiny", "--phonemes", "text",
        "--device", "cpu", "--threads", "1", "--workers", "none", "--max-steps", "1", "--force",
    ]  # fmt: skip


def test_the_folder_of_the_recordings_is_no_place_for_a_run(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """--fresh would move them aside with the run that is there."""
    data = Path(words[1])
    before = sorted(data.rglob("*"))
    assert main.run([*words[:3], str(data / "wavs" / ".."), *words[4:]]) == 2
    assert "choose another folder for the run" in capsys.readouterr().err
    assert sorted(data.rglob("*")) == before
    (data / "last.ckpt").touch()  # of an earlier version: it may go on, and is not moved
    assert main.run([*words[:3], str(data), *words[4:], "--fresh"]) == 2
    assert (data / "metadata.csv").is_file()


def test_a_training_that_measures_first_shows_it_keeps_it_and_trains(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], break_children: Callable[[str], None]
) -> None:
    break_children("3=memory")
    assert main.run([*words, "--tune"]) == 0
    captured = capsys.readouterr()
    assert "batch 2: " in captured.err
    assert "batch 4 does not fit: out of memory" in captured.err
    assert "fits 2 clips of" in captured.err
    assert "measured by train --tune" in captured.err
    assert "1 step. " in captured.out
    ((measured,),) = [each.measurements for each in all_profiles().profiles]
    assert measured.largest_batch == 2
    assert (tmp_path / "run" / "last.ckpt").is_file()


def test_for_programs_there_are_lines_of_json_and_the_last_one_is_the_result(
    words: list[str], capsys: pytest.CaptureFixture[str], break_children: Callable[[str], None]
) -> None:
    break_children("2=memory")
    assert main.run([*words, "--tune", "--json"]) == 0
    *lines, said = map(json.loads, capsys.readouterr().out.splitlines())
    assert {"progress": {"key": "train", "work": "training", "done": 0, "total": 1, "seconds_left": None}} in lines
    assert [line["metrics"]["losses"]["mel"] for line in lines if "losses" in line.get("metrics", {})] == [
        pytest.approx(said["losses"]["mel"], rel=1e-5)
    ]
    assert said["steps"] == 1
    assert said["tuned"]["measurements"][0]["largest_batch"] == 1
    assert Path(said["tuned"]["kept"]).parent == home() / "profiles"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_it_measures_ends_the_child_and_the_command(
    words: list[str], tmp_path: Path, number: signal.Signals, break_children: Callable[[str], None]
) -> None:
    break_children("1=hang")
    command = [sys.executable, "-m", "voxmatrix_entrypoint", *words, "--tune"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        child = _child_of(process.pid)
        time.sleep(1)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "interrupted while measuring the device" in said
    assert not Path(f"/proc/{child}").exists()
    assert not (tmp_path / "run" / "last.ckpt").exists()


def _child_of(parent: int) -> int:
    """The process that measures, waited for."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        for stat in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                about = (stat.parent / "stat").read_text().rpartition(")")[2].split()
                if int(about[1]) == parent and b"voxmatrix.train.tune.child" in stat.read_bytes():
                    return int(stat.parent.name)
            except (OSError, IndexError):
                continue
        time.sleep(0.1)
    raise AssertionError("no child began to measure")


@pytest.mark.parametrize("device", ["directml", "directml:0"])
def test_training_on_directml_is_refused_with_the_reason(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], device: str
) -> None:
    windows = SAMPLES.parent.parent / "tests" / "machines" / "windows-directml.json"
    monkeypatch.setenv("VOXMATRIX_MACHINE", str(windows))
    words[words.index("--device") + 1] = device
    assert main.run(words) == 4
    said = capsys.readouterr().err
    assert "can only speak" in said and "no complex numbers" in said and "--device cpu" in said
    assert not (tmp_path / "run" / "last.ckpt").exists()


def test_a_training_starts_from_a_run_or_says_why_it_cannot(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(words) == 0
    words[words.index("--out") + 1] = str(tmp_path / "next")
    assert main.run([*words, "--from", str(tmp_path / "run")]) == 0
    assert f"starting from {tmp_path / 'run' / 'best.ckpt'}" in capsys.readouterr().err

    broken, content = tmp_path / "nan.ckpt", torch.load(tmp_path / "run" / "last.ckpt", weights_only=True)
    content["state_dict"]["model_g.enc_p.emb.weight"][0] = float("nan")
    torch.save(content, broken)
    assert main.run([*words, "--fresh", "--from", str(broken)]) == 9
    assert "not finite" in capsys.readouterr().err

    exported = tmp_path / "voice.onnx"
    exported.touch()
    assert main.run([*words, "--fresh", "--from", str(exported)]) == 3
    assert "exported voice" in capsys.readouterr().err


@pytest.mark.slow
def test_a_profile_of_the_server_is_trained_by_its_name_alone(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    recordings = home() / "recordings"
    recordings.mkdir()
    shutil.copytree(words[1], recordings / "Petter ny" / "list 1")
    named = ["--profile-id", "Petter ny", "--prompt-list-id", "list 1"]
    assert main.run(["train", *named, *words[4:], "--language-code", "sv-SE"]) == 0
    assert (home() / "voices" / "Petter ny" / "last.ckpt").is_file()
    assert f"speak --voice '{home() / 'voices' / 'Petter ny'}' --text" in capsys.readouterr().out
    assert main.run(["speak", "--voice", "Petter ny", "--text", "Hej", "--out", str(recordings / "hej.wav")]) == 0
    with pytest.raises(BadInputError, match="the folder of a training run"):
        rename("Petter ny", "Other")
    assert main.run(["voices", "remove", "Petter ny"]) == 0
    assert not (home() / "voices" / "Petter ny").exists()


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ([], 2, "DATA is missing"),
        (["data"], 2, "--out is missing"),
        (["--out", "run"], 2, "DATA is missing"),
        (["data", "--profile", "a/b"], 2, "'a/b', which is not a folder name"),
        (["data", "--profile", ".."], 2, "'..', which is not a folder name"),
        (["--profile", "me"], 3, "where the server keeps recordings"),
        (["data", "--prompt-list", "L"], 2, "--out is missing"),
    ],
)
def test_what_is_missing_is_named(given: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["train", *given]) == code
    assert said in capsys.readouterr().err
