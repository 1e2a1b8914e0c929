"""S3: the command lines of the fourth seed, training on an RTX 5060 Ti, as they are typed here."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import soundfile

from tests.seeds.conftest import Type, told
from tools import matrix
from voxmatrix.config import home

SAMPLES = Path(__file__).parents[2] / "samples" / "en"
SWEDISH = "det var en gång en liten flicka som bodde i en stuga vid skogen och hon hade inte någon att leka med där"
PROFILE = "latestPetter ny svenska pc"
PROMPTS = f"{PROFILE}_sv-SE_0000000001_0300000050_General"
#: As `docker exec coaxial-gpu-experimental python train_model.py …`, word for word.
WORDS = (
    "--profile-id", PROFILE, "--prompt-list-id", PROMPTS, "--language-code", "sv-SE", "--model-size", "medium",
    "--learning-rate", "0.0001", "--batch-size", "16", "--epochs", "100", "--use-gpu", "--mixed-precision",
)  # fmt: skip


@pytest.fixture
def recorded() -> Path:
    """25 recordings, as in the seed, of more than a minute, as the server keeps them."""
    folder = home() / "recordings" / PROFILE / PROMPTS
    (folder / "wavs").mkdir(parents=True)
    longest = sorted((SAMPLES / "wavs").iterdir(), key=lambda path: -soundfile.info(path).duration)[:25]
    lines = []
    for place, path in enumerate(longest):
        shutil.copy(path, folder / "wavs")
        words = SWEDISH.split()[place % 8 :][: round(3.5 * soundfile.info(path).duration)]
        lines.append(f"{path.stem}|{' '.join(words).capitalize()}.")
    (folder / "metadata.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.espeak
def test_the_training_word_for_word_ends_with_a_voice(
    recorded: Path, typed: Type, trained: list[tuple[Any, Any]], on: Callable[[str], None]
) -> None:
    """What it trains is in tests/cli/test_train.py: here, all words are understood and lead to the right places."""
    on("rtx-5060-ti")
    said = typed("train", *WORDS)
    ((prepared, settings),) = trained
    assert len(prepared.clips) == 25
    assert settings.out == home() / "voices" / PROFILE
    assert (settings.learning_rate, settings.epochs) == (0.0001, 100)
    assert settings.overrides.batch_size.value == 16
    assert settings.overrides.precision is None  # mixed wherever it gains anything
    assert (settings.overrides.device.kind, settings.overrides.device.fallback) == ("gpu", "cpu")
    assert f"voxmatrix speak --voice '{settings.out}'" in said


def test_the_gpu_has_kernels_in_the_image_for_blackwell(typed: Type, on: Callable[[str], None]) -> None:
    """`pip install --pre torch==…+cu128 --index-url …/nightly/cu128` and `ENV TORCH_CUDA_ARCH_LIST="12.0+PTX"`."""
    on("rtx-5060-ti")
    settings = told(typed("plan", *WORDS[6:8], *WORDS[10:12], *WORDS[14:], "--json"))["settings"]
    assert (settings["device"]["value"], settings["precision"]["value"]) == ("cuda:0", "bf16")
    for name, channel in (("blackwell", "stable"), ("blackwell-nightly", "nightly")):
        row = matrix.rows()[name]
        assert row.channel == channel and "sm_120" in row.kernels["x86_64"]
        said = " ".join(matrix.command(row, matrix.this_build(row)))
        assert "TORCH_CUDA_ARCH_LIST=10.0;12.0+PTX" in said


def test_patches_are_applied_at_the_start(typed: Type) -> None:
    """`python utils/patch_lightning.py --apply-runtime`: at each start; no defect of Lightning was found."""
    said = typed("patches", "--try")
    assert "torchaudio-load" in said and "Lightning" not in said


@pytest.mark.parametrize("extension", ["mp3", "ogg", "m4a", "flac"])
def test_speech_is_exported(extension: str, typed: Type, tmp_path: Path) -> None:
    """`apt-get install ffmpeg` and `pip install pydub` are for this."""
    (wav,) = sorted((SAMPLES / "wavs").glob("en-01.*"))
    typed("export", "audio", str(wav), "--out", f"speech.{extension}")
    assert (tmp_path / f"speech.{extension}").stat().st_size > 1000
