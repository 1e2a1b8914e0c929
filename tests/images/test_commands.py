"""Every command of the command line, with every restriction. One that is not here fails the first test."""

import json

import pytest

from tests.images.containers import Hardened
from tests.images.voices import TRAIN

pytestmark = [pytest.mark.docker, pytest.mark.slow]

#: Asks the image itself what its commands are. A group that does something without a further word is a command as well.
LIST = """
import json, typer
from voxmatrix.cli import main
from voxmatrix_entrypoint import launch
def commands(command, words):
    inner = getattr(command, "commands", {})
    if words and (not inner or command.invoke_without_command):
        yield words
    for name, each in inner.items():
        yield from commands(each, [*words, name])
print(json.dumps(list(commands(typer.main.get_command(main.cli), []))))
"""
PROFILE = {
    "format": 1,
    "cpu": {"name": "A CPU", "cpus": 2},
    "measurements": [
        {
            "quality": "tiny",
            "precision": "fp32",
            "gradient_checkpointing": False,
            "seconds": 3.0,
            "sizes": [{"batch_size": 1, "peak_mib": 100.0, "step_seconds": 0.5}],
            "largest_batch": 1,
            "torch": "2.13.0",
            "voxmatrix": "0.1.0",
            "date": "2026-01-01",
        }
    ],
}
#: Command → how it is run here, and a file that it makes. They follow each other: what one makes, a later one takes.
RUNS: dict[str, tuple[tuple[str, ...], str]] = {
    "doctor": (("--no-smoke", "--device", "cpu", "--record", "/data/machine.json"), "machine.json"),
    "devices": ((), ""),
    "plan": ((), ""),
    "patches": ((), ""),
    "prepare": (("/recordings", "--report", "/data/report.html"), "report.html"),
    "train": ((*TRAIN[1:], "--max-steps", "1"), "run/last.ckpt"),
    "report": (("/data/run", "--out", "/data/run.html"), "run.html"),
    "speak": (("--voice", "/data/run", "--text", "Hello", "--out", "/data/hello.wav"), "hello.wav"),
    "export voice": (("/data/run", "--out", "/data/voice.onnx", "--force"), "voice.onnx"),
    "distil": (
        (
            *("/data/voice.onnx", "--out", "/data/fast.onnx", "--text", "/data/text.txt", "--steps", "1"),
            *("--device", "cpu", "--force"),
        ),
        "fast.onnx",
    ),
    "export audio": (("/data/hello.wav", "--out", "/data/hello.mp3"), "hello.mp3"),
    "book inspect": (("/data/book.md",), ""),
    "book names": (("/data/book.md",), ""),
    "book cast": (("/data/book.md", "--out", "/data/book.cast.toml", "--json"), "book.cast.toml"),
    "book shelf": ((), ""),
    "book make": (("/data/book.md", "--voice", "/data/voice.onnx", "--out", "/data/book.m4b"), "book.manifest.json"),
    "bench matmul": (("--size", "64", "--runs", "1", "--picture", "/data/matmul.svg"), "matmul.svg"),
    "bench speak": (("--runs", "1", "--picture", "/data/speak.png"), "speak.png"),
    "bench train": (
        ("--quality", "tiny", "--batch-size", "1", "--clip-seconds", "1", "--steps", "1", "--runs", "1"),
        "",
    ),
    "profiles import": (("/data/given.json",), "profiles/a-cpu-2cpus.json"),
    "profiles list": ((), ""),
    "profiles export": (("a-cpu-2cpus", "--out", "/data/exported.json"), "exported.json"),
    "profiles remove": (("a-cpu-2cpus",), ""),
    "voices default": (("en_US-heart-student",), ""),
    "voices make": (("/recordings", "--out", "/data/mine", "--minutes", "0.05", "--judge", "none"), "mine/mine.onnx"),
    "voices list": ((), ""),
    "voices remove": (("given",), ""),
    "voices search": (("heart",), ""),
    "voices show": (("en_US-heart-student",), ""),
    "voices speed": ((), ""),
    "engines list": ((), ""),
    "devices select": (("cpu",), "settings.toml"),
}

#: Commands whose packages an image does not have, how they are run, and the extra with these packages.
WITHOUT_PACKAGES = {
    "worker": (("--cluster", "redis://127.0.0.1:1/0"), "cluster"),  # `./run cluster-ROW` adds it
    "workers": (("--cluster", "redis://127.0.0.1:1/0"), "cluster"),
    "segment": (("/recordings/wavs/en-01.flac", "--out", "/data/clips"), "judge"),
}
#: tests/images/test_serve.py and test_engine.py; the others need a network, and are in tests/kokoro, cli and remote.
ELSEWHERE = (
    *("serve", "voices download", "voices clone", "voices remote add", "voices remote list", "voices remote remove"),
    *("engines install", "engines check", "engines remove"),
    "book check",  # of files that a shop takes
)
NOT_INSTALLED = 7


def test_every_command_of_the_image_is_run_here(hardened: Hardened) -> None:
    listed = json.loads(hardened.run("python3", "-c", LIST).stdout)
    assert sorted(" ".join(words) for words in listed) == sorted((*RUNS, *WITHOUT_PACKAGES, *ELSEWHERE))


@pytest.mark.parametrize("command", WITHOUT_PACKAGES)
def test_what_needs_other_packages_says_how_to_install_them(hardened: Hardened, command: str) -> None:
    words, extra = WITHOUT_PACKAGES[command]
    done = hardened.run(command, *words, expect=NOT_INSTALLED)
    assert f"voxmatrix[{extra}]" in done.stderr


@pytest.mark.parametrize("command", RUNS)
def test_it_works_with_every_restriction(hardened: Hardened, command: str) -> None:
    hardened.give("given.json", json.dumps(PROFILE))
    hardened.give("book.md", "# One\n\nHello.\n\n# Two\n\nGood night.\n")
    hardened.give("text.txt", "\n".join(f"Here is sentence {number}." for number in range(20)))
    if command == "voices remove":
        hardened.give("voices/given.onnx", "not a voice")
    words, made = RUNS[command]
    done = hardened.run(*command.split(), *words)
    assert done.stdout
    assert "Traceback" not in done.stderr
    assert not made or (hardened.data / made).stat().st_size > 0


@pytest.mark.usefixtures("one_image")
def test_they_have_a_help_with_every_restriction(hardened: Hardened) -> None:
    """In one container: most of the time of each would be its start."""
    said = hardened.run("bash", "-ec", "".join(f"voxmatrix {command} --help; " for command in RUNS)).stdout
    assert [command for command in RUNS if f"Usage: voxmatrix {command} " not in said] == []


def test_nothing_in_the_mounted_folder_belongs_to_somebody_else(hardened: Hardened) -> None:
    assert hardened.strangers() == []
