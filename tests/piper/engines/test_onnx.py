"""An exported voice in pieces says exactly what it says whole; what is no voice is refused in our words."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.piper.conftest import MakeCheckpoint
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.piper.engines import onnx as onnx_engine
from voxmatrix.piper.engines import openvino
from voxmatrix.piper.engines.base import Engine, SynthesisOptions
from voxmatrix.piper.engines.onnx import SplitModelEngine, WholeModelEngine, open_onnx, segments
from voxmatrix.piper.export import onnx_writer
from voxmatrix.piper.export.export import export_voice

STILL = SynthesisOptions(noise=0.0, noise_w=0.0, length=1.3)


def spoken(
    engine: Engine, ids: list[int], options: SynthesisOptions = STILL, seed: int | None = None
) -> tuple[np.ndarray, int]:
    parts = engine.begin(ids, options, seed).segments
    return np.concatenate([part() for part in parts]), len(parts)


@pytest.mark.parametrize(
    "kind",
    [
        ("tiny", 1, "text"),
        ("tiny", 3, "text"),
        ("x_low", 3, "espeak"),
        pytest.param(("high", 1, "text"), marks=pytest.mark.slow),
    ],
    ids=lambda kind: "-".join(map(str, kind)),
)
def test_pieces_are_the_whole_to_the_last_sample(
    make_onnx: Any, monkeypatch: pytest.MonkeyPatch, kind: tuple[Any, ...], ids: list[int]
) -> None:
    path, speakers = make_onnx(*kind), kind[1]
    monkeypatch.setattr(onnx_engine, "SEGMENT_SAMPLES", 20 * 256)  # many seams
    engine = open_onnx(path, speakers)
    options = SynthesisOptions(noise=0.0, noise_w=0.0, length=3.0, speaker=speakers - 1)

    piecewise, count = spoken(engine, ids, options)
    whole, _ = spoken(WholeModelEngine(path, speakers), ids, options)

    assert isinstance(engine, SplitModelEngine) and count > 5
    assert piecewise.shape == whole.shape
    assert np.abs(piecewise - whole).max() <= 1e-6


@pytest.fixture
def by_others(make_checkpoint: MakeCheckpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Export a voice with the nodes that torch writes, as Piper does."""

    def export(name: str, speakers: int) -> Path:
        with monkeypatch.context() as patch:
            patch.setattr(onnx_writer, "replace_text", lambda model: False)
            patch.setattr(onnx_writer, "replace_flow", lambda model: False)
            export_voice(make_checkpoint(name, speakers, "text"), tmp_path / "voice.onnx")
        return tmp_path / "voice.onnx"

    return export


@pytest.fixture
def without_bf16(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU that computes in float32 only."""
    monkeypatch.setattr(openvino, "computes_bf16", lambda: False)


@pytest.mark.parametrize("seed", [0, 1])
def test_threads_that_share_a_sentence_change_nothing(seed: int, make_onnx: Any, ids: list[int]) -> None:
    path = make_onnx("x_low", 1, "text")

    alone, _ = spoken(open_onnx(path, 1), ids, seed=seed)
    together, _ = spoken(open_onnx(path, 1, threads=3), ids, seed=seed)

    assert np.array_equal(alone, together)


def spoken_before_and_after_preparing(path: Path, ids: list[int], speakers: int = 1) -> tuple[np.ndarray, np.ndarray]:
    engine = open_onnx(path, speakers)
    one, _ = spoken(engine, ids)
    engine.prepare()
    many, _ = spoken(engine, ids)
    return one, many


@pytest.mark.usefixtures("without_bf16")
@pytest.mark.parametrize(("name", "speakers"), [("tiny", 1), ("x_low", 3)])
def test_for_many_sentences_a_voice_gets_other_nodes_and_sounds_the_same(
    name: str, speakers: int, by_others: Callable[..., Path], ids: list[int]
) -> None:
    path = by_others(name, speakers)

    one, many = spoken_before_and_after_preparing(path, ids, speakers)

    assert one.shape == many.shape and not np.array_equal(one, many)
    assert np.abs(one - many).max() < 1e-4 * np.abs(one).max()


@pytest.mark.usefixtures("without_bf16")
def test_for_many_sentences_a_voice_that_has_such_nodes_sounds_the_same(make_onnx: Any, ids: list[int]) -> None:
    path = make_onnx("fast_x_low", 1, "text")

    one, many = spoken_before_and_after_preparing(path, ids)

    assert one.shape == many.shape
    assert np.abs(one - many).max() < 1e-4 * np.abs(one).max()


@pytest.mark.usefixtures("without_bf16")
def test_a_flow_that_only_looks_like_pipers_is_left_as_it_is(by_others: Callable[..., Path], ids: list[int]) -> None:
    path = by_others("tiny", 1)
    model = onnx.load(str(path))
    gates = [node for node in model.graph.node if node.op_type == "Tanh" and "/flow/" in node.name]
    for node in gates:
        node.op_type = "Sigmoid"
    onnx.save(model, str(path))

    one, many = spoken_before_and_after_preparing(path, ids)

    assert gates and np.array_equal(one, many)


def test_speakers_sound_different(make_onnx: Any, ids: list[int]) -> None:
    engine = open_onnx(make_onnx("tiny", 3, "text"), 3)

    first, last = (spoken(engine, ids, SynthesisOptions(noise=0.0, noise_w=0.0, speaker=who))[0] for who in (0, 2))

    assert first.shape != last.shape or np.abs(first - last).max() > 1e-3


@pytest.mark.parametrize("most", [1, 64, 256])
@pytest.mark.parametrize("places", [1, 2, 47, 64, 65, 192, 193, 500, 4001])
def test_a_sentence_is_cut_without_a_gap_into_nearly_equal_pieces(places: int, most: int) -> None:
    cut = segments(places, most)
    lengths = [end - start for start, end in cut]

    assert [place for start, end in cut for place in range(start, end)] == list(range(places))
    assert max(lengths) <= most and max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize("places", [1, 64, 65, 4001])
def test_all_pieces_but_the_last_can_be_full(places: int) -> None:
    cut = segments(places, 64, equal=False)

    assert [start for start, _ in cut] == list(range(0, places, 64))
    assert [end for _, end in cut] == [*range(64, places, 64), places]


@pytest.mark.parametrize(
    ("again", "allowed"), [(False, {"onnx"}), (True, set())], ids=["the first time", "another time"]
)
def test_the_way_to_speech_never_imports_torch(make_onnx: Any, tmp_path: Path, again: bool, allowed: set[str]) -> None:
    program = """
import sys
from pathlib import Path
from voxmatrix.models.style import Style
from voxmatrix.speak.output import speak_to
from voxmatrix.voices.resolve import resolve
speak_to(Path(sys.argv[2]), "Hello there.", resolve(sys.argv[1]), Style())
heavy = {"torch", "torchaudio", "lightning", "onnx", "scipy", "soundfile", "soxr", "pydub", "matplotlib"}
print(*heavy & set(sys.modules))
"""
    voice = make_onnx("tiny", 1, "text")
    if again:
        open_onnx(voice, 1)

    command = [sys.executable, "-c", program, str(voice), str(tmp_path / "out.wav")]
    imported = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    assert set(imported.split()) <= allowed
    assert (tmp_path / "out.wav").stat().st_size > 1000


@pytest.mark.parametrize("kind", [SplitModelEngine, WholeModelEngine])
def test_a_seed_gives_the_same_sound_whatever_was_spoken_before(make_onnx: Any, ids: list[int], kind: type) -> None:
    path = make_onnx("tiny", 1, "text")
    engine = open_onnx(path, 1) if kind is SplitModelEngine else WholeModelEngine(path, 1)
    assert isinstance(engine, kind)

    first, other, again, any_, another = (
        spoken(engine, ids, SynthesisOptions(), seed)[0] for seed in (3, 2**32 - 1, 3, None, None)
    )

    assert np.array_equal(first, again)
    assert not np.array_equal(first[:500], other[:500]) and not np.array_equal(any_[:500], another[:500])


@pytest.mark.parametrize("keep", [0.0, 0.001, 0.5, 0.999])
def test_a_file_that_is_cut_short_is_refused(make_onnx: Any, tmp_path: Path, keep: float) -> None:
    whole = make_onnx("tiny", 1, "text").read_bytes()
    path = tmp_path / "short.onnx"
    path.write_bytes(whole[: int(len(whole) * keep)])

    with pytest.raises((DamagedFileError, BadInputError), match=r"short\.onnx") as caught:
        spoken(open_onnx(path, 1), [1, 2, 3])

    assert caught.value.remedy


@pytest.mark.parametrize("content", [b"not an ONNX", b"RIFF" + bytes(5000), b"\xff" * 300, bytes(300), b"{}"])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.onnx"
    path.write_bytes(content)

    with pytest.raises((DamagedFileError, BadInputError), match=r"other\.onnx"):
        open_onnx(path, 1)


def _save_network(path: Path, inputs: dict[str, int], operation: str = "Cast") -> Path:
    """A network that converts its first input to samples, with inputs of this many axes."""
    kinds = {"scales": TensorProto.FLOAT}
    graph = helper.make_graph(
        [helper.make_node(operation, [next(iter(inputs))], ["output"], to=TensorProto.FLOAT)],
        "other",
        [
            helper.make_tensor_value_info(name, kinds.get(name, TensorProto.INT64), [None] * axes)
            for name, axes in inputs.items()
        ],
        [helper.make_tensor_value_info("output", TensorProto.FLOAT, None)],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8), path)
    return path


def test_a_network_for_something_else_is_refused(tmp_path: Path) -> None:
    path = _save_network(tmp_path / "image.onnx", {"pixels": 4})

    with pytest.raises(BadInputError, match="its inputs are pixels"):
        open_onnx(path, 1)


def test_a_network_that_cannot_be_cut_speaks_whole(tmp_path: Path) -> None:
    path = _save_network(tmp_path / "whole.onnx", {"input": 2, "input_lengths": 1, "scales": 1})

    engine = open_onnx(path, 1)

    assert isinstance(engine, WholeModelEngine)
    assert spoken(engine, [4, 5, 6])[0].tolist() == [4, 5, 6]


@pytest.mark.parametrize(("made", "said"), [(1, 3), (3, 1)])
def test_a_card_of_another_voice_is_refused(make_onnx: Any, made: int, said: int) -> None:
    with pytest.raises(BadInputError, match="do not match"):
        open_onnx(make_onnx("tiny", made, "text"), said)


def test_an_id_that_the_network_lacks_is_an_error_in_our_words(make_onnx: Any) -> None:
    with pytest.raises(BadInputError, match="cannot speak this sentence"):
        spoken(open_onnx(make_onnx("tiny", 1, "text"), 1), [1, 0, 9999, 0, 2])


def test_a_voice_behind_a_link_or_an_odd_name_speaks(make_onnx: Any, tmp_path: Path, ids: list[int]) -> None:
    folder = tmp_path / "en röst (1)"
    folder.mkdir()
    shutil.copy(make_onnx("tiny", 1, "text"), folder / "å b.onnx")
    (tmp_path / "link.onnx").symlink_to(folder / "å b.onnx")

    engine = open_onnx(tmp_path / "link.onnx", 1)

    assert isinstance(engine, SplitModelEngine) and len(spoken(engine, ids)[0]) > 1000


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # of Piper's modules, which are old
def test_an_onnx_of_pipers_own_exporter_is_cut_and_speaks(tmp_path: Path) -> None:
    import torch
    from piper.train.vits.models import SynthesizerTrn

    torch.manual_seed(0)
    size = {"inter_channels": 96, "hidden_channels": 96, "filter_channels": 384, "n_heads": 2, "n_layers": 6}
    network = SynthesizerTrn(
        n_vocab=256,
        spec_channels=513,
        segment_size=32,
        **size,
        kernel_size=3,
        p_dropout=0.1,
        resblock="2",
        resblock_kernel_sizes=(3, 5, 7),
        resblock_dilation_sizes=((1, 2), (2, 6), (3, 12)),
        upsample_rates=(8, 8, 4),
        upsample_initial_channel=256,
        upsample_kernel_sizes=(16, 16, 8),
    ).eval()
    path = tmp_path / "piper.onnx"
    _export_as_piper(network, path)

    cut, whole = open_onnx(path, 1), WholeModelEngine(path, 1)
    ids = np.random.default_rng(0).integers(1, 150, 60).tolist()
    options = SynthesisOptions(noise=0.0, noise_w=0.0, length=4.0)
    (ours, count), (theirs, _) = spoken(cut, ids, options), spoken(whole, ids, options)

    assert isinstance(cut, SplitModelEngine) and count > 1
    assert np.abs(ours - theirs).max() <= 1e-6


def _export_as_piper(network: Any, path: Path) -> None:
    import torch

    def speak(text: Any, lengths: Any, scales: Any, sid: Any = None) -> Any:
        return network.infer(
            text, lengths, noise_scale=scales[0], length_scale=scales[1], noise_scale_w=scales[2], sid=sid
        )[0].unsqueeze(1)

    with torch.no_grad():
        network.dec.remove_weight_norm()
        network.forward = speak
        torch.onnx.export(
            network,
            (torch.zeros(1, 50, dtype=torch.long), torch.tensor([50]), torch.tensor([0.667, 1.0, 0.8])),
            str(path),
            opset_version=15,
            input_names=["input", "input_lengths", "scales"],
            output_names=["output"],
            dynamic_axes={"input": {0: "b", 1: "p"}, "input_lengths": {0: "b"}, "output": {0: "b", 1: "t"}},
            dynamo=False,
        )


def test_a_card_can_be_read_from_the_voice_itself(make_onnx: Any) -> None:
    properties = {one.key: one.value for one in onnx.load(make_onnx("tiny", 1, "text")).metadata_props}

    assert properties["sample_rate"].isdecimal() and json.loads(properties["voxmatrix"])["exported_by"]
