"""What a start must not import: each of these takes milliseconds that everybody waits for."""

import json
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.bundled import DEFAULT

#: Runs the command line, and prints its exit code and all modules that it has imported.
_RUN = """
import json, sys
from voxmatrix_entrypoint.launch import launch
code = launch(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""
#: Of our packages, those that commands import when they are run.
_OF_OTHERS = (
    "voxmatrix.serve",
    "voxmatrix.book",
    "voxmatrix.distil",
    "voxmatrix.work",
    "voxmatrix.dataset",
    "voxmatrix.vits",
)
_HEAVY = (
    "torch",
    "onnx",
    "pydantic",
    "rich",
    "matplotlib",
    "lxml",
    "soundfile",
    "soxr",
    "pydub",
    "wrapt",
    "asyncio",
    "email",
)
#: For `--version`: the parameters of no command, and nothing that reads tables or files.
_VERSION = (
    *_HEAVY, *_OF_OTHERS, "numpy", "onnxruntime", "tomllib", "json", "hashlib", "socket", "importlib.metadata",
    "voxmatrix.files", "voxmatrix.machine", "voxmatrix.plan", "voxmatrix.voices", "voxmatrix.models", "voxmatrix.text",
    "voxmatrix.cli.parameters.options", "voxmatrix_entrypoint.listing",
)  # fmt: skip
#: For one sentence by an exported voice: no planner, no probes of GPUs, no captions, no tables of casts and lexicons.
_SENTENCE = (
    *_HEAVY, *_OF_OTHERS, "sympy", "importlib.metadata", "voxmatrix.machine.facts", "voxmatrix.machine.detect",
    "voxmatrix.machine.profile", "voxmatrix.plan.budget", "voxmatrix.plan.plan", "voxmatrix.plan.arithmetic",
    "voxmatrix.tables.training", "voxmatrix.speak.captions", "voxmatrix.voices.cast_table", "voxmatrix.voices.library",
    "voxmatrix.models.library", "voxmatrix.text.pls", "voxmatrix.text.lexicon_file", "voxmatrix.transcripts",
    "voxmatrix.remote.servers", "voxmatrix.compute.device", "voxmatrix.inference.provider", "voxmatrix.piper.onnx.conv2d",
    "voxmatrix.cli.parameters.workers", "voxmatrix_entrypoint.device",
)  # fmt: skip


def imported(*words: str) -> list[str]:
    """The modules that a command line has imported."""
    done = subprocess.run([sys.executable, "-c", _RUN, *words], capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stdout + done.stderr
    return list(modules)


def unwanted(modules: Collection[str], names: Collection[str]) -> list[str]:
    return [name for name in modules if any(name == one or name.startswith(f"{one}.") for one in names)]


def test_the_version_imports_nothing_of_the_commands() -> None:
    assert unwanted(imported("--version"), _VERSION) == []


@pytest.mark.espeak
def test_a_sentence_imports_what_it_needs(tmp_path: Path) -> None:
    words = ("speak", "--text", "It is a plain sentence.", "--voice", DEFAULT, "--out", str(tmp_path / "one.wav"))
    imported(*words)  # prepares the voice
    assert unwanted(imported(*words, "--force"), _SENTENCE) == []
