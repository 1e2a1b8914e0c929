"""What a start must not import: each of these takes milliseconds that everybody waits for."""

import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.bundled import DEFAULT

#: Runs the command line, and prints all modules that it has imported.
_RUN = """
import sys
from voxmatrix_entrypoint.launch import launch
try:
    code = launch(sys.argv[1:])
except SystemExit as exit:  # after a completion
    code = exit.code
print()
print(*sys.modules)
sys.exit(code)
"""
_HEAVY = (
    *("torch", "onnx", "pydantic", "rich", "matplotlib", "lxml", "soundfile", "soxr", "pydub"),
    *("wrapt", "asyncio", "email", "importlib.metadata"),
    *(f"voxmatrix.{name}" for name in ("serve", "book", "distil", "work", "dataset", "vits")),
)
#: For `--version`: the parameters of no command, and nothing that reads tables or files.
_VERSION = (
    *_HEAVY,
    *("numpy", "onnxruntime", "tomllib", "json", "hashlib", "socket"),
    *(f"voxmatrix.{name}" for name in ("files", "machine", "plan", "voices", "models", "text")),
    *("voxmatrix.cli.parameters.options", "voxmatrix_entrypoint.listing"),
)
#: For a sentence by an exported voice: no planner, no probes of GPUs, no captions, no tables of casts and lexicons.
_SENTENCE = (
    *_HEAVY,
    *(f"voxmatrix.machine.{name}" for name in ("facts", "detect", "profile")),
    *(f"voxmatrix.plan.{name}" for name in ("budget", "plan", "arithmetic", "preflight")),
    *("voxmatrix.tables.training", "voxmatrix.speak.captions", "voxmatrix.transcripts"),
    *("voxmatrix.voices.cast_table", "voxmatrix.voices.library", "voxmatrix.models.library"),
    *("voxmatrix.text.pls", "voxmatrix.text.lexicon_file", "voxmatrix.remote.servers"),
    *("voxmatrix.compute.device", "voxmatrix.inference.provider", "voxmatrix.piper.onnx.conv2d"),
    *("voxmatrix.cli.parameters.workers", "voxmatrix_entrypoint.device", "numpy.random"),
)


def imported(*words: str, **environment: str) -> list[str]:
    """The modules that a command line has imported."""
    variables = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *words], env=variables, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()[-1].split()


def unwanted(modules: Collection[str], names: Collection[str]) -> list[str]:
    return [name for name in modules if any(name == one or name.startswith(f"{one}.") for one in names)]


def test_the_version_imports_nothing_of_the_commands() -> None:
    assert unwanted(imported("--version"), _VERSION) == []


def test_the_names_of_voices_are_completed_without_what_reads_voices() -> None:
    words = {"COMP_WORDS": "voxmatrix speak --voice e", "COMP_CWORD": "3"}
    found = imported(_VOXMATRIX_COMPLETE="complete_bash", **words)
    assert "voxmatrix.cli.speak" in found
    assert unwanted(found, (*_SENTENCE, "numpy", "onnxruntime", "voxmatrix.voices", "voxmatrix.piper")) == []


@pytest.mark.espeak
def test_a_sentence_imports_what_it_needs(tmp_path: Path) -> None:
    words = ("speak", "--text", "It is a plain sentence.", "--voice", DEFAULT, "--out", str(tmp_path / "one.wav"))
    imported(*words)  # prepares the voice
    found = imported(*words, "--force")
    assert "onnxruntime" in found
    assert unwanted(found, _SENTENCE) == []
