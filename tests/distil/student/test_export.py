"""An exported student has the inputs and outputs of Piper's voices."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.distil.student.conftest import SMALL
from voxmatrix.compute.libraries import import_onnxruntime
from voxmatrix.distil.student.batches import Scale, Utterance
from voxmatrix.distil.student.corpus import HOP
from voxmatrix.distil.student.durations import SPACE, least_frames, pace_of, predicted_frames
from voxmatrix.distil.student.export import Voice, read_student, write_student
from voxmatrix.distil.student.training import Student
from voxmatrix.errors import DamagedFileError
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.onnx import open_onnx
from voxmatrix.text.symbols import NUM_SYMBOLS, default_map

IDS = [1, 0, 20, 0, 61, 0, 3, 0, 24, 0, 2]
STOP = default_map("espeak")["t"][0]
LEAST = torch.zeros(NUM_SYMBOLS)
LEAST[STOP] = 9


@pytest.fixture(scope="module")
def student() -> Student:
    torch.manual_seed(0)
    network = Student(SMALL).eval()
    for one in network.parameters():  # no two are equal, as in one that has learned
        one.data += 0.01 * torch.randn_like(one)
    network.rhythm.duration.bias.data.fill_(1.5)  # type: ignore[union-attr]  # some frames each
    return network


@pytest.fixture(scope="module")
def path(student: Student, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("student") / "student.onnx"
    write_student(Voice(student, [Scale((5.0, 0.2), (0.0, 1.0))], [1.0], LEAST), {"voice": "en-us"}, out)
    return out


def run(path: Path, ids: list[int], length: float = 1.0, rhythm: float = 0.0) -> list[NDArray[np.float32]]:
    session = import_onnxruntime().InferenceSession(str(path))
    scales = np.array([0.667, length, rhythm], np.float32)
    given = {"input": np.array([ids]), "input_lengths": np.array([len(ids)]), "scales": scales}
    return session.run(None, given)  # type: ignore[no-any-return]


def test_the_weights_are_read_again_as_exactly_as_8_bits_are(student: Student, path: Path) -> None:
    weights, before = read_student(path), student.state_dict()

    assert weights.keys() == before.keys()
    for name, learned in before.items():
        value = learned
        layer, _, part = name.rpartition(".")
        if layer.endswith("fall"):  # the scale is in these weights
            value = value * before[layer.removesuffix("fall") + "scale"].reshape(-1, *(value.dim() - 1) * [1])
        elif part == "scale":
            value = torch.ones_like(value)
        rows = value.flatten(1) if value.dim() > 1 else value[None]
        pairs = torch.nn.functional.pad(rows.abs(), (0, rows.shape[1] % 2)).unflatten(1, (-1, 2)).sum(2)
        step = (pairs.amax(1, keepdim=True) / 127).expand(rows.shape).reshape(value.shape)
        assert ((weights[name] - value).abs() <= 0.51 * step + 1e-7).all(), name


@pytest.mark.parametrize("share", [0, 0.5, 0.999])
def test_a_damaged_student_is_refused(path: Path, tmp_path: Path, share: float) -> None:
    damaged, whole = tmp_path / "student.onnx", path.read_bytes()
    damaged.write_bytes(whole[: int(share * len(whole))])

    with pytest.raises(DamagedFileError, match="damaged, or no student"):
        read_student(damaged)


def test_samples_are_those_of_the_frames_of_all_ids(path: Path) -> None:
    samples, frames = run(path, IDS)

    assert samples.shape == (1, 1, int(frames.sum()) * HOP) and np.abs(samples).max() <= 1
    assert frames.shape == (1, len(IDS))
    assert all(count >= 1 if number else count == 0 for number, count in zip(IDS, frames[0], strict=True))


def test_a_stop_at_the_end_of_a_word_lasts_as_long_as_the_teacher_holds_it(path: Path) -> None:
    def frames(*ids: int) -> list[int]:
        return [int(count) for count in run(path, [1, *ids, 2])[1][0]]

    assert frames(20, STOP, SPACE, 24)[2] == 9
    assert frames(20, STOP, 24)[2] < 9 and frames(20, SPACE, STOP)[3] < 9
    assert frames(20, 24, SPACE, STOP)[2] < 9


def test_several_speakers_have_an_input_and_curves_of_their_own(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = Student(SMALL, 2).eval()
    network.rhythm.duration.bias.data.fill_(1.5)  # type: ignore[union-attr]  # some frames each
    scales = [Scale((5.0, 0.2), (0.0, 1.0)), Scale((4.6, 0.1), (0.0, 1.0))]
    out, config = tmp_path / "duo.onnx", SynthesisOptions(noise_w=0.0, length=6.0)
    write_student(Voice(network, scales, [1.0, 3.0], LEAST), {"voice": "en-us"}, out)

    assert [one.name for one in import_onnxruntime().InferenceSession(str(out)).get_inputs()][-1] == "sid"
    engine = open_onnx(out, 2)
    begun = [engine.begin(IDS, replace(config, speaker=speaker), 1) for speaker in (0, 1)]
    first, second = (np.concatenate([segment() for segment in one.segments]) for one in begun)
    assert len(second) > 1.5 * len(first)


def test_it_says_the_same_with_and_without_padding(path: Path) -> None:
    padded, bare = run(path, IDS)[0], run(path, [number for number in IDS if number])[0]

    assert np.array_equal(padded, bare)


def test_length_and_rhythm_change_the_durations(path: Path) -> None:
    plain, slow, varied = run(path, IDS, 4.0)[1], run(path, IDS, 12.0)[1], run(path, IDS, 12.0, rhythm=5.0)[1]

    assert slow.sum() > 2 * plain.sum()
    assert np.array_equal(run(path, IDS, 4.0)[1], plain) and not np.array_equal(varied, slow)


def test_the_app_knows_when_each_id_ends_and_repeats_a_seed(path: Path) -> None:
    engine = open_onnx(path, 1)

    def spoken(seed: int) -> tuple[NDArray[np.float32], list[int] | None]:
        begun = engine.begin(IDS, SynthesisOptions(noise_w=5.0, length=4.0), seed)
        return np.concatenate([segment() for segment in begun.segments]), begun.ends(HOP)

    (first, ends), (second, _), (other, _) = spoken(1), spoken(1), spoken(2)

    assert np.array_equal(first, second) and not np.array_equal(first, other)
    assert ends is not None and len(ends) == len(IDS) and ends[-1] == len(first)


@pytest.mark.peers
def test_piper_speaks_it_and_knows_its_frames(path: Path) -> None:
    from piper import PiperVoice
    from piper.config import PhonemeType, PiperConfig

    config = PiperConfig(
        num_symbols=256, num_speakers=1, sample_rate=24_000, espeak_voice="en-us", phoneme_id_map={},
        phoneme_type=PhonemeType.ESPEAK, hop_length=HOP,
    )  # fmt: skip
    voice = PiperVoice(import_onnxruntime().InferenceSession(str(path)), config)
    samples, ends = voice.phoneme_ids_to_audio(IDS, include_alignments=True)

    assert ends.sum() == len(samples)


def test_matrices_have_8_bits_and_a_layer_that_is_used_often_is_there_once(path: Path) -> None:
    import onnx

    graph = onnx.load(str(path)).graph
    large = [one for one in graph.initializer if len(one.dims) == 2 and one.dims[0] == SMALL.sound]

    assert large and all(one.data_type == onnx.TensorProto.INT8 for one in large)
    assert len({one.SerializeToString()[:-64] for one in large}) == len(large)


def test_least_frames_are_more_than_nine_tenths_of_short_stops_before_a_space_have() -> None:
    ids, frames = torch.tensor([STOP, SPACE, STOP, 20, 24, SPACE]), torch.tensor([1.0, 2, 7, 4, 8, 2])
    predicted = [frames + number / 10 for number in range(21)]

    least = least_frames(predicted, [ids] * 21)

    assert least[STOP] == pytest.approx(1 + 1.8)  # of 1 to 3; what stands in front of a vowel does not count
    assert least.sum() == least[STOP]
    assert not least_frames(predicted[:5], [ids] * 5).any()  # too few to say
    assert not least_frames([one + 3 for one in predicted], [ids] * 21).any()  # long enough


def test_the_pace_makes_sentences_as_long_as_the_teachers(student: Student, utterances: list[Utterance]) -> None:
    predicted = predicted_frames(student.rhythm, utterances)

    assert pace_of(predicted, utterances) * sum(float(one.clamp_min(1).sum()) for one in predicted) == pytest.approx(
        sum(one.speech.frames for one in utterances)
    )
