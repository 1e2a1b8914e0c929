"""`voxmatrix speak` on devices: what is demanded is had or refused, what is wished for costs a warning."""

import json
import re
import shutil
import subprocess
import sys
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.models.gpus import CPU_TORCH, T4, computer
from tests.piper.conftest import *  # noqa: F403  # its voices
from voxmatrix.cli import main
from voxmatrix.inference.session import open_session
from voxmatrix.machine import detect
from voxmatrix.machine.saved_device import SavedDevice, save_device
from voxmatrix.piper.engines import gpu as gpu_engine

OLDER = ("USE_GPU", "GPU_ID", "VIBEVOICE_DEVICE", "DIRECTML_DEVICE", "VOXMATRIX_DEVICE", "VOXMATRIX_GPU")
TEXT = "Good morning. Good night."
STILL = ("--noise", "0", "--noise-w", "0", "--text", TEXT)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    for name in OLDER:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def gpu_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A T4 that computes as the CPU does, which torch and onnxruntime can use."""
    monkeypatch.setattr(detect, "detect", lambda: detect.Detection(computer(T4), ()))
    monkeypatch.setattr("voxmatrix.inference.provider.served_kinds", lambda: frozenset({"cuda"}))
    # Where torch has CUDA, too, the CPU speaks a short text: test_device_selection.py.
    monkeypatch.setattr("voxmatrix.machine.probes.torch_build.read_torch_build", lambda folder: CPU_TORCH)
    monkeypatch.setattr(gpu_engine, "torch_device", lambda gpu, machine: torch.device("cpu"))
    monkeypatch.setattr(
        "voxmatrix.inference.provider.open_gpu_session", lambda gpu, *model, **options: open_session(*model, **options)
    )


@pytest.fixture(params=["onnx", "ckpt"])
def voice(request: pytest.FixtureRequest, make_onnx: Callable[..., Path], make_checkpoint: Callable[..., Path]) -> Path:
    return (make_onnx if request.param == "onnx" else make_checkpoint)("tiny", 1, "text")


def speak(*words: str) -> int:
    return main.run(["speak", "--out", "out.wav", "--force", *STILL, *words])


def samples() -> np.ndarray:
    with wave.open("out.wav") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(int)


def test_nothing_asked_for_and_no_gpu_is_the_cpu_without_a_word(voice: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(detect, "detect", lambda: detect.Detection(computer(), ()))
    assert speak("--voice", str(voice)) == 0
    assert capsys.readouterr().err == ""


def test_a_lexicon_changes_what_is_spoken(voice: Path, capsys: Any) -> None:
    Path("lexicon.txt").write_text("morning|[[ab]]\n", encoding="utf-8")
    assert speak("--voice", str(voice)) == 0
    usual = samples()
    assert speak("--voice", str(voice), "--lexicon", "lexicon.txt") == 0
    assert len(samples()) < len(usual) and capsys.readouterr().err == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_file_is_read_once_with_its_tags(make_onnx: Callable[..., Path], encoding: str, capsys: Any) -> None:
    shutil.copy(make_onnx("tiny", 1, "text"), "anna.onnx")
    shutil.copy(f"{make_onnx('tiny', 1, 'text')}.json", "anna.onnx.json")
    Path("text.txt").write_text("Good day. [voice:anna.onnx] Good night.", encoding=encoding)
    words = ["speak", "--out", "out.wav", "--voice", "anna.onnx", "--file", "text.txt", "--json"]
    assert main.run(words) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["sentences"] == 2


def test_a_lexicon_with_a_wrong_line_is_named_before_anything_is_spoken(voice: Path, capsys: Any) -> None:
    Path("lexicon.txt").write_text("morning\n", encoding="utf-8")
    assert speak("--voice", str(voice), "--lexicon", "lexicon.txt") != 0
    assert "lexicon.txt, line 1" in capsys.readouterr().err and not Path("out.wav").exists()


def test_the_voice_that_comes_along_needs_no_probing(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(detect, "detect", lambda: pytest.fail("this computer was probed"))
    monkeypatch.setattr("voxmatrix.inference.provider.served_kinds", frozenset)  # whatever is installed
    assert speak() == 0 and capsys.readouterr().err == ""


@pytest.mark.usefixtures("gpu_is_here")
@pytest.mark.parametrize("words", [(), ("--device", "cuda:1"), ("--gpu", "1"), ("--use-gpu",)], ids=" ".join)
def test_a_gpu_that_works_speaks_without_a_word(voice: Path, capsys: Any, words: tuple[str, ...]) -> None:
    assert speak("--voice", str(voice), "--device", "cpu") == 0
    here = samples()
    assert speak("--voice", str(voice), *words) == 0
    assert capsys.readouterr().err == ""
    assert np.abs(samples() - here).max() <= 4


@pytest.mark.usefixtures("gpu_is_here")
@pytest.mark.parametrize("words", [("--device", "cpu"), ("--no-use-gpu",), ("remembered",)], ids=" ".join)
def test_the_cpu_is_used_when_it_was_chosen(
    voice: Path, capsys: Any, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        pytest.fail("the GPU was used")

    monkeypatch.setattr(gpu_engine, "torch_device", refuse)
    monkeypatch.setattr("voxmatrix.inference.provider.open_gpu_session", refuse)
    if words == ("remembered",):
        save_device(SavedDevice(device="cpu"))
        words = ()
    assert speak("--voice", str(voice), *words) == 0 and capsys.readouterr().err == ""


@pytest.mark.usefixtures("gpu_is_here")
@pytest.mark.parametrize("words", [("--device", "cuda:7"), ("--gpu", "7"), ("--device", "directml:0")], ids=" ".join)
def test_a_demand_for_what_is_not_there_is_exit_4_and_leaves_no_file(
    voice: Path, capsys: Any, words: tuple[str, ...]
) -> None:
    assert speak("--voice", str(voice), "--json", *words) == 4
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert answer["exit_code"] == 4 and answer["remedy"] and not Path("out.wav").exists()


def test_a_demand_that_onnxruntime_cannot_meet_says_what_to_do(make_onnx: Any, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("voxmatrix.inference.provider.served_kinds", frozenset)
    monkeypatch.setattr("voxmatrix.machine.probes.torch_build.read_torch_build", lambda folder: CPU_TORCH)
    assert speak("--voice", str(make_onnx("tiny", 1, "text")), "--device", "cuda:1") == 4
    said = capsys.readouterr().err
    assert "--device cuda:1" in said and "use the image or the torch that" in said


@pytest.mark.usefixtures("gpu_is_here")
def test_a_gpu_that_fails_is_a_loud_warning_and_the_text_is_spoken(
    voice: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("CUDA error: no kernel image is available for execution on the device")

    monkeypatch.setattr(gpu_engine, "torch_device", fail)
    monkeypatch.setattr("voxmatrix.inference.provider.open_gpu_session", fail)
    assert speak("--voice", str(voice), "--json") == 0
    out, said = capsys.readouterr()
    assert said.startswith("warning: cuda:1 (Tesla T4) failed, falling back to the CPU: CUDA error: no kernel")
    assert said.count("warning:") == 1 and json.loads(out)["sentences"] == 2 and len(samples()) > 1000

    assert speak("--voice", str(voice), "--device", "cuda:1") == 4
    assert "cuda:1 (Tesla T4) was requested and failed" in capsys.readouterr().err


def test_sound_is_not_written_to_a_terminal(voice: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main.run(["speak", "--voice", str(voice), *STILL, "--out", "-"]) == 2
    assert "is a terminal" in (said := capsys.readouterr()).err and "--out speech.wav" in said.err and not said.out


def test_one_sentence_is_not_called_sentences(voice: Path, capsys: Any) -> None:
    assert main.run(["speak", "--voice", str(voice), "--text", "Hello.", "--out", "a.wav"]) == 0
    assert "s of speech, 1 sentence, by " in capsys.readouterr().out


def test_a_pause_that_is_too_long_is_named_with_its_option(capsys: Any) -> None:
    assert main.run(["speak", "--text", "Hello.", "--sentence-pause", "1000"]) == 2
    assert "--sentence-pause is 1000" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [("speak", "--text", "Hi."), ("speak", "--batch", "."), ("book", "a.txt")], ids=" ".join
)
def test_a_seed_below_0_is_refused_like_that_of_a_training(words: tuple[str, ...], capsys: Any) -> None:
    Path("a.txt").write_text("Hi.")
    assert main.run([*words, "--seed", "-1", "--out", "b.wav" if words[0] == "speak" else "b.m4b"]) == 2
    assert "--seed is -1, must not be negative\n  → set --seed to 0 or more" in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    "variables", [{"USE_GPU": "yes"}, {"GPU_ID": "3"}, {"VIBEVOICE_DEVICE": "cuda"}, {"VIBEVOICE_DEVICE": "cuda:3"}]
)
@pytest.mark.parametrize("kind", ["checkpoint", "onnx"])
def test_a_gpu_requested_by_the_variables_of_older_programs_is_replaced_by_the_cpu_with_one_warning(
    voice: Path, capsys: Any, monkeypatch: Any, variables: dict[str, str], kind: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(detect, "detect", lambda: detect.Detection(computer(), ()))
    monkeypatch.setattr("voxmatrix.inference.provider.served_kinds", frozenset)
    assert speak(*(("--voice", str(voice)) if kind == "checkpoint" else ())) == 0
    said = capsys.readouterr().err
    ((name, value),) = variables.items()
    assert said.count(f"{name}={value}") == said.count("falling back to the CPU") == said.count("warning:") == 1


def test_use_gpu_without_one_is_a_warning(voice: Path, capsys: Any) -> None:
    assert speak("--voice", str(voice), "--use-gpu") == 0
    assert capsys.readouterr().err.startswith("warning: --use-gpu")


@pytest.mark.parametrize("words", [("--device", "zebra"), ("--gpu", "-1"), ("--gpu", "٣")], ids=" ".join)
def test_what_is_no_device_is_usage(voice: Path, words: tuple[str, ...]) -> None:
    assert speak("--voice", str(voice), *words) == 2


@pytest.mark.parametrize(
    "unit", ["Все вышли из дома. ", "It was in 1998, and 987,654,321 men came. "], ids=["Cyrillic", "numbers"]
)
def test_progress_counts_the_characters_of_the_file(
    unit: str, make_onnx: Callable[..., Path], capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = unit * 10
    Path("long.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr("voxmatrix.cli.speak._MIN_FOR_PROGRESS", 1)
    monkeypatch.setattr("voxmatrix.cli.terminal.progress._PLAIN_SECONDS", 0.0)

    words = ["speak", "--voice", str(make_onnx("tiny", 1, "text")), "--out", "out.wav", "--file", "long.txt"]
    assert main.run(words) == 0
    shown = re.findall(r"^characters spoken: (\d+)/(\d+)", capsys.readouterr().err, re.MULTILINE)
    done = [int(one) for one, _ in shown]
    assert {int(total) for _, total in shown} == {len(text)}
    assert done[0] == len(unit.strip()) and done[-2] == 10 * len(unit.strip()) and done[-1] == len(text)


@pytest.mark.parametrize(
    ("out", "code", "said"),
    [
        (".", 2, "is a folder"),
        ("./", 2, "is a folder"),
        ("/proc/a.wav", 8, "/proc/a.wav"),
        ("/proc/a.mp3", 8, "/proc/a.mp3"),
    ],
)
def test_a_place_that_cannot_be_written_is_named(out: str, code: int, said: str, capsys: Any) -> None:
    assert main.run(["speak", "--text", "Hello.", "--out", out]) == code
    assert said in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("--text Hello --out - >/dev/full", 8, "cannot write standard output: No space left on device"),
        ("- --out a.wav <&-", 3, "there is nothing to speak"),
        ("--text Hello --out a.wav >&-", 0, ""),
    ],
)
def test_standard_streams_that_are_full_or_closed(words: str, code: int, said: str) -> None:
    command = f"{sys.executable} -m voxmatrix_entrypoint speak {words}"
    ended = subprocess.run(["sh", "-c", command], check=False, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == code
    assert said in ended.stderr and "Traceback" not in ended.stderr
    assert Path("a.wav").exists() == (not code)


def english_letters(make_onnx: Callable[..., Path]) -> Path:
    """A voice that was trained on English letters alone."""
    made = make_onnx("tiny", 1, "text")
    config = json.loads(Path(f"{made}.json").read_text(encoding="utf-8"))
    config["phoneme_id_map"] = {key: ids for key, ids in config["phoneme_id_map"].items() if key.isascii()}
    shutil.copy(made, "english.onnx")
    Path("english.onnx.json").write_text(json.dumps(config), encoding="utf-8")
    return Path("english.onnx")


def test_the_symbols_that_a_voice_lacks_are_named_together(make_onnx: Callable[..., Path], capsys: Any) -> None:
    """A page in another script would be a screen of warnings for each sentence."""
    text = "Hello. 北京 東京 大阪 京都 奈良 神戸 is a list. 北京 as well."
    voice = str(english_letters(make_onnx))
    assert main.run(["speak", "--voice", voice, "--text", text, "--out", "out.wav"]) == 0
    (named,) = [line for line in capsys.readouterr().err.splitlines() if "has no symbol" in line]
    assert "'京'" in named and named.count("'") == 2 * 8 + 2 and "…" in named


def test_letters_that_a_voice_has_never_learned_are_named_and_not_spoken_as_noise(
    make_onnx: Callable[..., Path], capsys: Any
) -> None:
    words = ["speak", "--voice", str(english_letters(make_onnx))]
    assert main.run([*words, "--text", "It is Москва.", "--out", "out.wav"]) == 0
    assert "has no symbol" in capsys.readouterr().err
    assert main.run([*words, "--text", "Привет, мир.", "--out", "other.wav"]) == 3
    assert not Path("other.wav").exists()
