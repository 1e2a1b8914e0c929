"""On a GPU, torch computes all voices in batches: each sentence as alone, and as onnxruntime does on the CPU."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import onnx
import pytest
import torch

from tests.models.gpus import T4, on
from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, Finding, MemoryExhaustedError, NoDeviceError
from voxmatrix.models.device import SpeakDevice
from voxmatrix.piper.engines import batched
from voxmatrix.piper.engines import gpu as gpu_engine
from voxmatrix.piper.engines.base import Engine, SynthesisOptions
from voxmatrix.piper.engines.batched import BatchedNetwork, SentenceInput
from voxmatrix.piper.engines.gpu import GpuEngine
from voxmatrix.piper.engines.inputs import sentence_noise
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.piper.engines.torch import TorchEngine, exported_generator, speaking_generator
from voxmatrix.vits.checkpoint.checkpoint import read_checkpoint
from voxmatrix.vits.synthesizer import Synthesizer

ROOT = Path(__file__).parents[3]
TINY = ROOT / "tests/distil/voices/en_US-slt-tiny.onnx"
CPU = torch.device("cpu")
MAX_ERROR = 1e-4


def sentences(*lengths: int, length: float = 1.0, speakers: int = 1, symbols: int = 40) -> list[SentenceInput]:
    """Sentences of so many symbols, each of another speaker if there are several."""
    made = []
    for seed, count in enumerate(lengths):
        ids = np.random.default_rng(seed).integers(3, symbols, count).tolist()
        options = SynthesisOptions(length=length, speaker=seed % speakers, noise=0.5 + 0.1 * (seed % 3))
        made.append(SentenceInput(ids, options, seed, sentence_noise(count, seed)))
    return made


def spoken(engine: Engine, one: SentenceInput) -> Samples:
    return np.concatenate([segment() for segment in engine.begin(one.ids, one.options, one.seed).segments])


def batch(network: BatchedNetwork, asked: Sequence[SentenceInput]) -> dict[int, Samples]:
    return {place: made.samples for place, made in network.speak(asked)}


def assert_alike(made: Samples, wanted: Samples, most: float = MAX_ERROR) -> None:
    assert made.shape == wanted.shape
    assert np.abs(made - wanted).max() <= most * np.abs(wanted).max()


@pytest.fixture(autouse=True)
def short_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that short sentences have several, and take little time."""
    monkeypatch.setattr(batched, "WINDOW_FRAMES", 128)


@pytest.fixture
def gpu_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GPU that computes as the CPU does."""
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    monkeypatch.setattr(gpu_engine, "torch_device", lambda gpu, machine: CPU)


@pytest.mark.parametrize(
    "kind", [("tiny", 1, "espeak"), ("tiny", 3, "text"), ("fast", 3, "text")], ids=lambda kind: "-".join(map(str, kind))
)
def test_an_exported_voice_in_a_batch_speaks_as_in_onnxruntime(make_onnx: Any, kind: tuple[Any, ...]) -> None:
    path, speakers = make_onnx(*kind), kind[1]
    asked = sentences(30, 9, 40, length=2.0, speakers=speakers)

    made = batch(BatchedNetwork(exported_generator(path, speakers), CPU, rows=2), asked)

    reference = open_onnx(path, speakers)
    assert max(len(one) for one in made.values()) > 3 * 40 * 256  # several windows
    for place, one in enumerate(asked):
        assert_alike(made[place], spoken(reference, one))


@pytest.mark.parametrize("path", [TINY], ids=lambda path: path.stem)
def test_earlier_exports_speak_as_in_onnxruntime(path: Path) -> None:
    asked = sentences(30, 20)
    made = batch(BatchedNetwork(exported_generator(path, 1), CPU, rows=1), asked)
    for place, one in enumerate(asked):
        assert_alike(made[place], spoken(open_onnx(path, 1), one))


def test_a_seed_gives_the_same_speech_before_and_after_the_export(make_onnx: Any, make_checkpoint: Any) -> None:
    (asked,) = sentences(40, speakers=3)
    checkpoint = read_checkpoint(make_checkpoint("tiny", 3, "text"))

    assert_alike(
        spoken(TorchEngine(speaking_generator(checkpoint), CPU, "the CPU"), asked),
        spoken(open_onnx(make_onnx("tiny", 3, "text"), 3), asked),
    )


def test_a_sentence_has_the_same_bytes_whatever_it_is_computed_with(make_onnx: Any) -> None:
    network = BatchedNetwork(exported_generator(make_onnx("tiny", 3, "text"), 3), CPU, rows=3)
    asked = sentences(30, 10, 70, 31, 64, 65, speakers=3)

    together, reversed_ = batch(network, asked), batch(network, asked[::-1])

    for place, one in enumerate(asked):
        alone = batch(network, [one])[0]
        assert np.array_equal(alone, together[place])
        assert np.array_equal(alone, reversed_[len(asked) - 1 - place])


def test_a_text_that_is_longer_than_all_others_is_computed_alone(make_onnx: Any) -> None:
    path = make_onnx("tiny", 1, "espeak")
    asked = sentences(520, 20, length=0.1)
    made = batch(BatchedNetwork(exported_generator(path, 1), CPU, rows=2), asked)
    for place, one in enumerate(asked):
        assert_alike(made[place], spoken(open_onnx(path, 1), one))


def _failing(monkeypatch: pytest.MonkeyPatch, fail: Callable[[int], Exception | None]) -> list[int]:
    """Ask this before each call of the decoder, with its rows. Returns the rows of the calls."""
    rows: list[int] = []
    forward = BatchedNetwork._windows

    def guarded(self: BatchedNetwork, z: torch.Tensor, facts: torch.Tensor) -> Sequence[torch.Tensor]:
        rows.append(len(z))
        if error := fail(len(z)):
            raise error
        return forward(self, z, facts)

    monkeypatch.setattr(BatchedNetwork, "_windows", guarded)
    return rows


def test_without_memory_for_a_batch_there_are_fewer_rows_from_then_on(
    make_onnx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total")
    network = BatchedNetwork(exported_generator(make_onnx("tiny", 1, "espeak"), 1), CPU, rows=4)
    asked = sentences(12, 10, 9)
    wanted = batch(network, asked)
    rows = _failing(monkeypatch, lambda rows: full if rows > 1 else None)

    made = batch(network, asked)

    assert rows[:3] == [4, 2, 1] and set(rows[3:]) == {1}
    for place, one in wanted.items():
        assert_alike(made[place], one)
    _failing(monkeypatch, lambda rows: full)
    with pytest.raises(torch.cuda.OutOfMemoryError):
        dict(network.speak(asked))


def test_what_cannot_be_recorded_as_a_graph_is_computed_as_it_is(
    make_onnx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = BatchedNetwork(exported_generator(make_onnx("tiny", 1, "espeak"), 1), CPU, rows=2)
    recorded = Mock(side_effect=RuntimeError("CUDA error: operation not permitted when stream is capturing"))
    monkeypatch.setattr(batched, "_Recorded", recorded)
    monkeypatch.setattr(network, "_device", Mock(type="cuda"))
    double = Mock(side_effect=lambda x: [2 * x], __name__="double")
    for _ in range(2):
        (made,) = network._call(double, [torch.ones(2, 3)])
        assert torch.equal(made, torch.full((2, 3), 2.0))
    assert (recorded.call_count, double.call_count) == (1, 2)

    recorded.side_effect = torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.50 GiB.")
    with pytest.raises(torch.cuda.OutOfMemoryError):
        network._call(double, [torch.ones(2, 4)])


Open = Callable[..., GpuEngine]


@pytest.fixture
def open_gpu(make_onnx: Any) -> Iterator[Open]:
    """Opens an exported voice on a GPU."""
    opened: list[GpuEngine] = []

    def open_engine(device: SpeakDevice, warn: Callable[[Finding], None], path: Path | None = None) -> GpuEngine:
        file = path or make_onnx("tiny", 1, "espeak")
        engine = GpuEngine(
            lambda: exported_generator(file, 1),
            lambda: open_onnx(make_onnx("tiny", 1, "espeak"), 1),
            device,
            warn,
            compare=True,
        )
        opened.append(engine)
        return engine

    yield open_engine
    for engine in opened:
        engine.close()


@pytest.mark.usefixtures("gpu_is_here")
def test_the_engine_speaks_many_sentences_at_once_and_says_nothing(open_gpu: Open, make_onnx: Any) -> None:
    told: list[Finding] = []
    engine = open_gpu(on(T4), told.append)
    asked = sentences(12, 10, 9)

    begun = [engine.begin(one.ids, one.options, one.seed) for one in asked]

    assert engine.parallel > 3 and not told
    for made, one in zip(begun, asked, strict=True):
        wanted = open_onnx(make_onnx("tiny", 1, "espeak"), 1).begin(one.ids, one.options, one.seed)
        assert_alike(made.segments[0](), np.concatenate([segment() for segment in wanted.segments]))
        assert made.ends(256) == wanted.ends(256)  # when each id is heard


@pytest.mark.usefixtures("gpu_is_here")
def test_a_symbol_that_the_network_lacks_never_reaches_the_gpu(open_gpu: Open) -> None:
    engine = open_gpu(on(T4), lambda finding: None)
    with pytest.raises(BadInputError, match="no symbol 5000"):
        engine.begin([1, 5000], SynthesisOptions())


@pytest.mark.usefixtures("gpu_is_here")
def test_a_gpu_that_is_lost_leaves_all_its_sentences_to_the_cpu(
    open_gpu: Open, make_onnx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Finding] = []
    engine = open_gpu(on(T4), told.append)
    _failing(monkeypatch, lambda rows: RuntimeError("CUDA error: unspecified launch failure"))
    asked = sentences(12, 10)

    made = [spoken(engine, one) for one in asked]

    reference = open_onnx(make_onnx("tiny", 1, "espeak"), 1, threads=1)
    assert all(np.array_equal(one, spoken(reference, each)) for one, each in zip(made, asked, strict=True))
    assert "unspecified launch failure" in told[0].problem and len(told) == 1
    assert engine.parallel == reference.parallel


@pytest.mark.usefixtures("gpu_is_here")
def test_a_gpu_that_was_demanded_and_fails_is_an_error(open_gpu: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = open_gpu(on(T4, required=True), lambda finding: None)
    (asked,) = sentences(12)
    _failing(monkeypatch, lambda rows: torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB."))
    with pytest.raises(MemoryExhaustedError, match="cuda:1"):
        spoken(engine, asked)
    _failing(monkeypatch, lambda rows: RuntimeError("CUDA error: unspecified launch failure"))
    with pytest.raises(NoDeviceError, match="unspecified launch failure"):
        spoken(engine, asked)


def _without(path: Path, out: Path, weight: str) -> Path:
    """The voice with another name for a weight."""
    model = onnx.load(str(path))
    for node in model.graph.node:
        node.input[:] = ["unknown" if weight in name else name for name in node.input]
    for tensor in model.graph.initializer:
        tensor.name = "unknown" if weight in tensor.name else tensor.name
    onnx.save(model, str(out))
    return out


@pytest.mark.usefixtures("gpu_is_here")
def test_a_network_that_torch_does_not_know_speaks_on_the_cpu_or_is_refused(
    open_gpu: Open, make_onnx: Any, tmp_path: Path
) -> None:
    foreign = _without(make_onnx("tiny", 1, "espeak"), tmp_path / "voice.onnx", "norm_layers_1.1.gamma")
    told: list[Finding] = []

    engine = open_gpu(on(T4), told.append, foreign)

    assert engine.parallel == 1 and "norm_layers_1.1.gamma" in told[0].problem and told[0].remedy
    with pytest.raises(NoDeviceError, match=r"norm_layers_1.1.gamma") as caught:
        open_gpu(on(T4, required=True), told.append, foreign)
    assert caught.value.exit_code == 4


@pytest.mark.usefixtures("gpu_is_here")
def test_a_network_that_speaks_otherwise_in_torch_is_noticed(
    open_gpu: Open, make_onnx: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Finding] = []
    monkeypatch.setattr(Synthesizer, "drop_training_parts", _louder(Synthesizer.drop_training_parts))
    open_gpu(on(T4), told.append)
    assert "otherwise than onnxruntime" in told[0].problem


def _louder(drop: Callable[[Synthesizer], None]) -> Callable[[Synthesizer], None]:
    def changed(self: Synthesizer) -> None:
        drop(self)
        self.dec.register_forward_hook(lambda module, given, made: made * 1.5)

    return changed


@pytest.mark.gpu
@pytest.mark.parametrize("path", [TINY], ids=lambda path: path.stem)
def test_a_real_gpu_speaks_as_the_cpu_does_whatever_is_in_a_batch(path: Path) -> None:
    asked = sentences(60, 20, 150, 64, 61, 62, 63, 65, 66, 67)
    gpu = BatchedNetwork(exported_generator(path, 1), torch.device("cuda"))
    together = batch(gpu, asked)
    for place, one in enumerate(asked):
        alone = batch(gpu, [one])[0]
        assert np.array_equal(alone, together[place])
        assert_alike(alone, spoken(open_onnx(path, 1), one), 2e-3)
