"""What an image has prepared for the voices that come along serves every home, as long as it fits."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.bundled import DEFAULT
from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.piper.onnx import cache

ROOT = Path(__file__).parents[3]
IDS = np.random.default_rng(3).integers(1, 150, 40).tolist()


@pytest.fixture
def voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The included voice, as an image has it: prepared, and used with an empty home."""
    share = tmp_path / "share"
    (share / "voices").mkdir(parents=True)
    folders = tmp_path / "samples", share / "voices"
    for module in ("voxmatrix.config", "voxmatrix.piper.onnx.cache"):
        monkeypatch.setattr(f"{module}.bundled_folders", lambda: folders)
    path = Path(shutil.copy(ROOT / "samples" / "voices" / f"{DEFAULT}.onnx", share / "voices"))
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "builder"))
    said(path)
    cache.share(path)
    assert not entries()
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    return path


def entries() -> list[Path]:
    """What is kept in the home."""
    return sorted((Path(os.environ["VOXMATRIX_HOME"]) / "cache" / "prepared").glob("*"))


def said(path: Path) -> np.ndarray:
    return np.concatenate([part() for part in open_onnx(path, 1).begin(IDS, SynthesisOptions(), 5).segments])


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The voices that were prepared, one by one."""
    from voxmatrix.piper.onnx import reading

    read, seen = reading.read_model, list[Path]()

    def seeing(path: Path) -> Any:
        seen.append(path)
        return read(path)

    for module in ("reading", "model_split"):
        monkeypatch.setattr(f"voxmatrix.piper.onnx.{module}.read_model", seeing)
    return seen


def test_an_empty_home_prepares_nothing_and_says_the_same(voice: Path, prepared: list[Path], tmp_path: Path) -> None:
    shared = said(voice)

    assert (prepared, entries()) == ([], [])
    shutil.rmtree(tmp_path / "share" / "prepared")
    assert np.array_equal(shared, said(voice))
    assert (len(prepared), len(entries())) == (1, 1)


def test_it_is_found_after_the_image_was_unpacked_elsewhere(voice: Path, prepared: list[Path], tmp_path: Path) -> None:
    """There, its files have other times and numbers."""
    shutil.copy(voice, tmp_path / "copy")
    voice.unlink()
    (tmp_path / "copy").rename(voice)

    said(voice)

    assert prepared == []


def another_voice(voice: Path, _: pytest.MonkeyPatch) -> None:
    """One of the same size and date."""
    before, content = voice.stat(), bytearray(voice.read_bytes())
    content[-1] ^= 1
    voice.write_bytes(content)
    os.utime(voice, ns=(before.st_atime_ns, before.st_mtime_ns))


def another_onnxruntime(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_onnxruntime(), "__version__", "0.0.0")


def damaged(voice: Path, _: pytest.MonkeyPatch) -> None:
    (network,) = (voice.parents[1] / "prepared").glob("*/0.onnx")
    network.write_bytes(network.read_bytes()[:-1])


@pytest.mark.parametrize("happen", [another_voice, another_onnxruntime, damaged])
def test_what_does_not_fit_is_prepared_once_in_the_home(
    voice: Path, prepared: list[Path], monkeypatch: pytest.MonkeyPatch, happen: Callable[..., None]
) -> None:
    wanted = said(voice)
    happen(voice, monkeypatch)

    first, second = said(voice), said(voice)

    assert (len(prepared), len(entries())) == (1, 1)
    assert np.array_equal(first, second)
    assert happen is another_voice or np.array_equal(first, wanted)


def test_a_voice_of_the_user_is_not_looked_for_in_the_image(voice: Path, prepared: list[Path], tmp_path: Path) -> None:
    """Its content is not read for that: it may be twenty times as large."""
    said(Path(shutil.copy(voice, tmp_path)))

    assert (len(prepared), len(entries())) == (1, 1)


def test_nothing_to_share_is_an_error(voice: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing is prepared for .*other\.onnx"):
        cache.share(Path(shutil.copy(voice, tmp_path / "other.onnx")))
