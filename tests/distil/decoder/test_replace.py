"""The fast voice computes what its network computes in torch, and keeps Piper's contract."""

import json
import wave
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from numpy.typing import NDArray

from tests.models.gpus import RADEON, T4, on
from tests.piper.conftest import MakeCheckpoint
from voxmatrix.distil.decoder.corpus import CorpusSentence, OriginalVoice
from voxmatrix.distil.decoder.graph import VoiceGraph, read_graph
from voxmatrix.distil.decoder.network import FastDecoder, copy_weights
from voxmatrix.distil.decoder.replace import replace_decoder
from voxmatrix.errors import BadInputError, Finding, NoDeviceError
from voxmatrix.piper.engines import openvino
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.onnx import SplitModelEngine, WholeModelEngine, open_onnx
from voxmatrix.piper.engines.torch import exported_generator
from voxmatrix.piper.export import onnx_writer
from voxmatrix.piper.export.export import export_voice
from voxmatrix.piper.files import config_path

KINDS = [("tiny", 1, "text"), ("tiny", 3, "text"), ("x_low", 3, "espeak")]


def spoken_by(path: Path, graph: VoiceGraph, speakers: int = 1) -> list[CorpusSentence]:
    """What the original speaks."""
    original, random = OriginalVoice(path, graph, threads=1), np.random.default_rng(0)
    return [
        original.speak(random.integers(1, 100, 40).tolist(), SynthesisOptions(speaker=number % speakers), random)
        for number in range(6)
    ]


def error(made: NDArray[np.float32], wanted: NDArray[np.float32]) -> float:
    """The difference, as a part of what is wanted."""
    assert made.size == wanted.size
    return float(np.linalg.norm(made.reshape(-1) - wanted.reshape(-1)) / np.linalg.norm(wanted))


def student_of(graph: VoiceGraph) -> FastDecoder:
    torch.manual_seed(0)
    student = FastDecoder(graph.weights)
    copy_weights(student, graph.weights)
    with torch.no_grad():
        student.dec.head.magnitude.weight.mul_(5)
    return student.eval()


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind[0]}-{kind[1]}")
def grafted(request: pytest.FixtureRequest, make_onnx: MakeCheckpoint, tmp_path: Path) -> tuple[Path, Path, int]:
    """An original, its fast voice with its JSON, and their number of speakers."""
    original = make_onnx(*request.param)
    graph = read_graph(original)
    fast = tmp_path / "fast.onnx"
    fast.write_bytes(
        replace_decoder(graph, student_of(graph), spoken_by(original, graph, request.param[1]), {"made": "here"})
    )
    config_path(fast).write_bytes(config_path(original).read_bytes())
    return original, fast, request.param[1]


def test_its_weights_are_read_back_for_a_gpu_with_their_integers_as_numbers(grafted: tuple[Path, Path, int]) -> None:
    original, fast, speakers = grafted
    student = student_of(read_graph(original)).state_dict()

    generator = exported_generator(fast, speakers)

    before, after = exported_generator(original, speakers).state_dict(), generator.state_dict()
    for name, weight in after.items():
        wanted = student[name] if name.startswith("dec.") else before[name]
        assert weight.shape == wanted.shape
        assert torch.linalg.vector_norm(weight - wanted) <= 0.02 * torch.linalg.vector_norm(wanted), name


def test_it_is_valid_and_has_the_inputs_of_the_original(grafted: tuple[Path, Path, int]) -> None:
    original, fast, _ = grafted
    onnx.checker.check_model(str(fast), full_check=False)

    before, after = (onnx.load(str(path)) for path in (original, fast))

    assert [one.name for one in after.graph.input] == [one.name for one in before.graph.input]
    assert [one.name for one in after.graph.output] == ["output"]
    assert {one.key: one.value for one in after.metadata_props} == {"made": "here"}
    assert not any("dec.ups.1" in tensor.name for tensor in after.graph.initializer)


def test_it_is_not_distilled_again(grafted: tuple[Path, Path, int]) -> None:
    with pytest.raises(BadInputError, match="fast voice already"):
        read_graph(grafted[1])


@pytest.fixture
def as_piper_writes_it(monkeypatch: pytest.MonkeyPatch, make_checkpoint: MakeCheckpoint, tmp_path: Path) -> Path:
    """A voice whose nodes are those that torch traces."""
    monkeypatch.setattr(onnx_writer, "replace_text", lambda model: False)
    monkeypatch.setattr(onnx_writer, "replace_flow", lambda model: False)
    return export_voice(make_checkpoint("tiny", 3, "text"), tmp_path / "plain.onnx").onnx


def test_text_part_and_flow_of_the_original_take_fewer_operations(as_piper_writes_it: Path) -> None:
    graph = read_graph(as_piper_writes_it)
    inputs = {
        "input": np.arange(1, 40)[None],
        "input_lengths": np.array([39]),
        "scales": np.array([0.0, 1.0, 0.0], np.float32),
        "sid": np.array([1]),
    }

    spoken = spoken_by(as_piper_writes_it, graph, 3)
    fast = replace_decoder(graph, student_of(graph), spoken, {})
    for node in graph.model.graph.node:
        node.name = ""  # as in a file of another exporter
    slow = replace_decoder(graph, student_of(graph), spoken, {})

    nodes_fast, nodes_slow = (
        [node.op_type for node in onnx.load_from_string(voice).graph.node] for voice in (fast, slow)
    )
    assert nodes_fast.count("Conv") < nodes_slow.count("Conv") - 30
    assert len(nodes_fast) < len(graph.model.graph.node) - 1500
    ours, theirs = (onnxruntime.InferenceSession(voice).run(None, inputs)[0] for voice in (fast, slow))
    assert error(ours, theirs) < 0.02  # another rounding of 8-bit numbers


def test_it_computes_what_torch_computes(grafted: tuple[Path, Path, int]) -> None:
    original, fast, speakers = grafted
    graph = read_graph(original)
    between = onnx.ModelProto()
    between.CopyFrom(graph.model)
    names = [graph.latent, *([graph.speaker] if graph.speaker else [])]
    between.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
    inputs = {
        "input": np.random.default_rng(1).integers(1, 100, (1, 30)),
        "input_lengths": np.array([30]),
        "scales": np.array([0.0, 1.0, 0.0], np.float32),
        **({"sid": np.array([2])} if speakers > 1 else {}),
    }
    samples, latent, *speaker = onnxruntime.InferenceSession(between.SerializeToString()).run(None, inputs)

    made = onnxruntime.InferenceSession(str(fast)).run(None, inputs)[0]

    assert made.shape == samples.shape
    embedding, student = torch.from_numpy(speaker[0]) if speaker else None, student_of(graph)
    with torch.no_grad():
        wanted = student(torch.from_numpy(latent), embedding)
    assert error(made, wanted.numpy()) < 0.05


def test_it_is_computed_in_segments_as_well(grafted: tuple[Path, Path, int]) -> None:
    _, fast, speakers = grafted
    ids = np.random.default_rng(1).integers(1, 100, 300).tolist()
    options = SynthesisOptions(speaker=speakers - 1)
    engine = open_onnx(fast, speakers)
    assert isinstance(engine, SplitModelEngine)

    segments = engine.begin(ids, options, 1).segments
    whole = WholeModelEngine(fast, speakers).begin(ids, options, 1).segments

    assert len(segments) > 1
    assert error(np.concatenate([one() for one in segments]), whole[0]()) < 0.02


def test_an_nvidia_gpu_is_used_only_if_it_is_required(grafted: tuple[Path, Path, int]) -> None:
    _, fast, speakers = grafted
    warned: list[Finding] = []

    open_onnx(fast, speakers, device=on(T4), warn=warned.append)
    assert not warned, "it was tried"
    open_onnx(fast, speakers, device=on(RADEON), warn=warned.append)
    assert "Radeon" in warned[0].problem

    with pytest.raises(NoDeviceError, match="Tesla T4"):
        open_onnx(fast, speakers, device=on(T4, required=True))


def test_its_integers_are_never_computed_in_bfloat16(
    grafted: tuple[Path, Path, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, fast, speakers = grafted
    computed: list[bytes] = []
    monkeypatch.setattr(openvino, "computes_bf16", lambda: True)
    monkeypatch.setattr(openvino, "Bf16Session", computed.append)
    ids = np.random.default_rng(1).integers(1, 100, 60).tolist()

    engine = open_onnx(fast, speakers)
    one = np.concatenate([part() for part in engine.begin(ids, SynthesisOptions(), 1).segments])
    engine.prepare()
    many = np.concatenate([part() for part in engine.begin(ids, SynthesisOptions(), 1).segments])

    assert not computed
    assert error(many, one) < 0.02


@pytest.mark.peers
def test_piper_speaks_it(make_onnx: MakeCheckpoint, tmp_path: Path) -> None:
    from piper import PiperVoice

    original = make_onnx("x_low", 3, "espeak")
    graph = read_graph(original)
    fast = tmp_path / "fast.onnx"
    fast.write_bytes(replace_decoder(graph, student_of(graph), spoken_by(original, graph, 3), {}))
    config_path(fast).write_text(json.dumps(json.loads(config_path(original).read_text())))

    with wave.open(str(tmp_path / "out.wav"), "wb") as file:
        PiperVoice.load(fast).synthesize_wav("Hello there.", file)

    with wave.open(str(tmp_path / "out.wav")) as file:
        assert file.getframerate() == 16000 and file.getnframes() > 4000
