"""A voice is prepared once: whatever becomes of what was kept, it sounds the same, and the next start is short."""

import os
import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from tests.bundled import DEFAULT
from voxmatrix.piper.engines import networks, openvino, prepared
from voxmatrix.piper.engines import onnx as onnx_engine
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.inputs import sentence_noise
from voxmatrix.piper.engines.onnx import SplitModelEngine, open_onnx
from voxmatrix.piper.onnx.parts import NOISE_PER_ID

ROOT = Path(__file__).parents[3]
IDS = np.random.default_rng(3).integers(1, 150, 40).tolist()


@pytest.fixture(autouse=True)
def _without_bf16(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openvino, "computes_bf16", lambda: False)


@pytest.fixture
def voice(make_onnx: Callable[..., Path], tmp_path: Path) -> Path:
    """A voice with wide convolutions, which are rewritten."""
    return Path(shutil.copy(make_onnx("x_low", 1, "text"), tmp_path / "voice.onnx"))


@pytest.fixture
def small_voice(make_onnx: Callable[..., Path], tmp_path: Path) -> Path:
    """A voice that is prepared faster: only constants are computed."""
    return Path(shutil.copy(make_onnx("tiny", 1, "text"), tmp_path / "voice.onnx"))


@pytest.fixture
def entries() -> Callable[[], list[Path]]:
    """What is kept."""
    return lambda: sorted((Path(os.environ["VOXMATRIX_HOME"]) / "cache" / "prepared").glob("*"))


def opened(path: Path, *, reproducible: bool = False) -> SplitModelEngine:
    engine = open_onnx(path, 1, reproducible=reproducible)
    assert isinstance(engine, SplitModelEngine)
    return engine


def spoken(engine: SplitModelEngine) -> np.ndarray:
    return np.concatenate([part() for part in engine.begin(IDS, SynthesisOptions(), 5).segments])


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on, no file of a voice is read by the package onnx."""

    def refuse(*_: object) -> None:
        pytest.fail("the voice is prepared again")

    def forbid() -> None:
        monkeypatch.setattr("voxmatrix.piper.onnx.model_split.split_model", refuse)
        monkeypatch.setattr("voxmatrix.piper.onnx.rewriting.rewrite", refuse)

    return forbid


def test_another_start_uses_what_the_first_one_has_prepared(
    voice: Path, nothing_is_read: Callable[[], None], entries: Callable[[], list[Path]]
) -> None:
    first = spoken(opened(voice))

    nothing_is_read()
    second = spoken(opened(voice))

    assert np.array_equal(first, second) and len(entries()) == 1


def test_a_voice_prepared_for_many_sentences_is_used_for_one(
    voice: Path, nothing_is_read: Callable[[], None], entries: Callable[[], list[Path]]
) -> None:
    many = opened(voice)
    before = spoken(many)
    many.prepare()
    after = spoken(many)

    nothing_is_read()
    one = spoken(opened(voice))

    assert np.array_equal(one, after) and not np.array_equal(one, before)
    assert np.abs(after - before).max() < 1e-4 * np.abs(before).max()
    assert len(entries()) == 2


def test_after_some_sentences_more_are_expected(voice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_engine, "_MANY", 3)
    engine = opened(voice)
    waves = [spoken(engine) for _ in range(5)]

    assert np.array_equal(waves[0], waves[2]) and np.array_equal(waves[3], waves[4])
    assert not np.array_equal(waves[0], waves[4])


def test_with_a_seed_a_sentence_has_the_same_bytes_however_and_whenever_it_is_spoken(
    voice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = spoken(opened(voice, reproducible=True))  # never prepared before

    again = opened(voice, reproducible=True)
    waves = [spoken(again)]
    again.prepare()
    waves.append(spoken(again))
    waves.append(spoken(opened(Path(shutil.copy(voice, tmp_path / "another name.onnx")), reproducible=True)))
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "other"))
    late = opened(voice)
    late.prepare()
    waves.append(spoken(late))

    assert all(np.array_equal(wave, wanted) for wave in waves)


@pytest.mark.parametrize("what", ["a file", "forbidden", "full"])
def test_where_nothing_can_be_kept_it_sounds_the_same(
    small_voice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    wanted = spoken(opened(small_voice, reproducible=True))
    home = tmp_path / "home"
    home.mkdir()
    if what == "a file":
        (home / "cache").touch()
    elif what == "forbidden":
        monkeypatch.setattr(Path, "mkdir", _raise(PermissionError(13, "Permission denied")))
    else:
        monkeypatch.setattr(Path, "write_bytes", _raise(OSError(28, "No space left on device")))
    monkeypatch.setenv("VOXMATRIX_HOME", str(home))

    made = spoken(opened(small_voice, reproducible=True))

    assert np.array_equal(made, wanted)
    assert not list(home.rglob("*.onnx")) and not list(home.rglob("*.bin"))


def _raise(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize("damage", ["remove", "truncate", "flip", "zeros"])
@pytest.mark.parametrize("name", ["content", "weights.bin", "0.onnx", "1.onnx"])
def test_what_was_damaged_is_prepared_again(
    small_voice: Path, entries: Callable[[], list[Path]], name: str, damage: str
) -> None:
    wanted = spoken(opened(small_voice, reproducible=True))
    for entry in entries():
        path, content = entry / name, bytearray((entry / name).read_bytes())
        if damage == "remove":
            path.unlink()
            continue
        if damage == "flip":
            content[len(content) // 2 : len(content) // 2 + 1] = b"!"
        path.write_bytes({"truncate": content[: len(content) // 3], "zeros": bytes(len(content))}.get(damage, content))

    made = [spoken(opened(small_voice, reproducible=True)) for _ in range(2)]

    assert all(np.array_equal(one, wanted) for one in made)
    assert len({entry.name for entry in entries()}) == 2


def test_an_entry_that_onnxruntime_cannot_load_is_replaced(
    small_voice: Path, entries: Callable[[], list[Path]]
) -> None:
    wanted = spoken(opened(small_voice))
    (entry,) = entries()
    store, load = prepared.cache.store_split, prepared.cache.load_split
    split = load(small_voice, rewritten=False)
    assert split is not None
    shutil.rmtree(entry)
    nonsense = prepared.replace(split, first=prepared.replace(split.first, model=b"nonsense"))
    store(small_voice, nonsense)

    made = spoken(opened(small_voice))

    assert np.array_equal(made, wanted)
    assert load(small_voice, rewritten=False) == split


@pytest.mark.parametrize("reproducible", [False, True])
def test_another_voice_in_the_same_place_is_not_mistaken(small_voice: Path, reproducible: bool) -> None:
    first = spoken(opened(small_voice, reproducible=reproducible))
    model, before = onnx.load(str(small_voice)), small_voice.stat()
    largest = max(model.graph.initializer, key=lambda tensor: len(tensor.raw_data))
    largest.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(largest) * np.float32(1.1), largest.name))
    small_voice.write_bytes(model.SerializeToString())
    os.utime(small_voice, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert small_voice.stat().st_size == before.st_size, "as big and as old"

    second = spoken(opened(small_voice, reproducible=reproducible))

    assert not np.array_equal(first[: len(second)], second[: len(first)])


def test_processes_that_prepare_at_once(small_voice: Path, entries: Callable[[], list[Path]]) -> None:
    with ThreadPoolExecutor(4) as pool:
        waves = list(pool.map(lambda _: spoken(opened(small_voice, reproducible=True)), range(4)))

    assert all(np.array_equal(wave, waves[0]) for wave in waves)
    assert len(entries()) == 2


def test_what_was_not_used_for_a_month_is_removed(
    small_voice: Path, entries: Callable[[], list[Path]], tmp_path: Path
) -> None:
    used, unused, other = (
        Path(shutil.copy(small_voice, tmp_path / f"{name}.onnx")) for name in ("used", "unused", "other")
    )
    for path in (used, unused):
        opened(path)
    for entry in entries():
        os.utime(entry, (0, time.time() - 31 * 86400))
    opened(used)  # still known, and used again

    opened(other)

    assert len(entries()) == 2
    assert prepared.cache.load_split(used, rewritten=False) and not prepared.cache.load_split(unused, rewritten=False)


def test_a_student_draws_only_what_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    student = ROOT / "samples" / "voices" / f"{DEFAULT}.onnx"
    drawn = []
    monkeypatch.setattr(networks, "sentence_noise", lambda *given: drawn.append(sentence_noise(*given)) or drawn[-1])

    def said() -> np.ndarray:
        return np.concatenate([part() for part in open_onnx(student, 1).begin(IDS, SynthesisOptions(), 5).segments])

    first, again = said(), said()  # as it was prepared, and as it was kept
    whole, inputs = prepared.cache.load_whole(student) or pytest.fail("nothing is kept")
    prepared.cache.remove(student)
    prepared.cache.store_whole(student, replace(whole, noise_per_id=NOISE_PER_ID), inputs)

    assert np.array_equal(first, again) and np.array_equal(first, said())
    assert [len(one) / len(IDS) for one in drawn] == [2, 2, NOISE_PER_ID]


def test_what_multiplies_integers_is_kept_with_fewer_operations_and_says_the_same(
    tmp_path: Path, entries: Callable[[], list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    student = ROOT / "samples" / "voices" / f"{DEFAULT}.onnx"

    def said() -> np.ndarray:
        return np.concatenate([part() for part in open_onnx(student, 1).begin(IDS, SynthesisOptions(), 5).segments])

    first, again = said(), said()
    (kept,) = entries()
    operations = [node.op_type for node in onnx.load(kept / "0.onnx", load_external_data=False).graph.node]
    monkeypatch.setattr(prepared, "write_fused", lambda *_: None)  # as where nothing can be written
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "other"))

    assert "MatMulInteger" not in operations
    assert np.array_equal(first, again) and np.array_equal(first, said())
