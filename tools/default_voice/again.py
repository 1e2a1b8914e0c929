"""Write the included students again: their own weights in the graph that `distil` writes today.

    python -m tools.default_voice.again [VOICE.onnx …]

Names in the file (its metadata) are kept, and its JSON needs no change. How long stops at the ends of words are held is
taken from what the voice itself says of the sentences that `distil` teaches its language with.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voxmatrix_entrypoint import patches

patches.install()

import torch  # noqa: E402

from voxmatrix.distil.student.batches import Scale  # noqa: E402
from voxmatrix.distil.student.durations import least_frames  # noqa: E402
from voxmatrix.distil.student.export import Voice, read_student, write_student  # noqa: E402
from voxmatrix.distil.student.network import Sizes  # noqa: E402
from voxmatrix.distil.student.training import Student  # noqa: E402
from voxmatrix.distil.student.waves import LOWEST_HZ  # noqa: E402
from voxmatrix.distil.texts import read_texts  # noqa: E402
from voxmatrix.piper.config import VoiceConfig  # noqa: E402
from voxmatrix.piper.files import config_path  # noqa: E402
from voxmatrix.piper.onnx.graph_edits import weights_of  # noqa: E402
from voxmatrix.piper.onnx.reading import read_model  # noqa: E402

VOICES = Path(__file__).resolve().parents[2] / "samples" / "voices"
#: Sentences whose stops are looked at.
_SENTENCES = 400


def main() -> None:
    """Write the voices."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voices", type=Path, nargs="*", default=sorted(VOICES.glob("*.onnx")))
    for path in parser.parse_args().voices:
        write_again(path)
        print(f"{path}: {path.stat().st_size:,} bytes")


def write_again(path: Path) -> None:
    """Write a student with one speaker in place of its former file."""
    weights = read_student(path)
    student = Student(_sizes(weights))
    student.load_state_dict(weights)
    model = read_model(path)
    mean, deviation, pace = _scale(model, path)
    ids = [torch.tensor(list(filter(None, one.ids))) for one in _sentences(path)]
    with torch.inference_mode():
        predicted = [torch.expm1(student.rhythm.durations(student.rhythm.text(one[None], None)))[0] for one in ids]
    voice = Voice(student, [Scale((mean, deviation), (0.0, 1.0))], [pace], least_frames(predicted, ids))
    write_student(voice.eval(), {one.key: one.value for one in model.metadata_props}, path)


def _sizes(weights: Mapping[str, torch.Tensor]) -> Sizes:
    """The usual ones, but for the blocks of the sound."""
    numbers = range(sum(name.startswith("sound.blocks.") and name.endswith("rise.bias") for name in weights))
    return Sizes(inner=tuple(len(weights[f"sound.blocks.{number}.rise.bias"]) for number in numbers))


def _sentences(path: Path) -> list[Any]:
    return list(read_texts(VoiceConfig.read(config_path(path)), None).train)[:_SENTENCES]


def _scale(model: Any, path: Path) -> tuple[float, float, float]:
    """Mean and deviation of the log of the pitch, and the pace: constants of the graph."""
    makers = {name: node for node in model.graph.node for name in node.output}
    values = {one.name: weights_of(one, path) for one in model.graph.initializer}
    values |= {
        node.output[0]: weights_of(node.attribute[0].t, path) for node in makers.values() if node.op_type == "Constant"
    }

    def constant(node: Any) -> float:
        return float(next(values[name] for name in node.input if name in values))

    # The pitch is exp(curve * deviation + mean), kept within limits.
    (limited,) = (
        node
        for node in model.graph.node
        if node.op_type == "Clip" and node.input[1] in values and float(values[node.input[1]].flat[0]) == LOWEST_HZ + 1
    )
    shifted = makers[makers[limited.input[0]].input[0]]
    scaled = next(makers[name] for name in shifted.input if name not in values)
    # The pace is multiplied first of all, with the scale for the length.
    lengthened = next(node for node in model.graph.node if node.name == "/Mul")
    return constant(shifted), constant(scaled), constant(lengthened)


if __name__ == "__main__":
    main()
