"""The decoder of a Piper voice in its ONNX graph, its weights, and what it is given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from voxmatrix.errors import BadInputError, DamagedFileError

#: The ends of names of weights in every export of Piper's networks.
FIRST_DECODER_WEIGHT = "dec.conv_pre.weight"
SPEAKER_WEIGHT = "dec.cond.weight"
_DECODER = "dec."
_CONVOLUTIONS = ("Conv", "ConvTranspose")
#: Versions in which the operations that are added here mean the same.
_OPSETS = range(13, 22)


@dataclass(frozen=True)
class VoiceGraph:
    """A voice, and the names of the tensors that its decoder is given. Shapes: c channels, f frames."""

    model: Any  # onnx.ModelProto
    latent: str  # the input of the decoder: (1, c, f)
    speaker: str  # the speaker's embedding (1, s, 1); "" for a voice with one speaker
    weights: Mapping[str, NDArray[np.float32]]  # of the decoder, with the names that checkpoints have

    @property
    def opset(self) -> int:
        """The version of the operations."""
        return next(int(one.version) for one in self.model.opset_import if one.domain in ("", "ai.onnx"))


def read_graph(path: Path) -> VoiceGraph:
    """Read the graph of a voice.

    Raises:
        BadInputError: it is not a Piper voice, or one with an unusual network; the message says what is missing.
        DamagedFileError: the file is truncated or not an ONNX file.
    """
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load(str(path), load_external_data=False)
    except (DecodeError, ValueError, RecursionError) as error:
        raise DamagedFileError(
            f"{path} ({path.stat().st_size:,} bytes) is truncated or not an ONNX file", "download the voice again"
        ) from error
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in model.graph.initializer):
        _unusual(path, "its weights are in another file")
    reader = _Reader(path, model)
    if any(tensor.name.endswith(FIRST_DECODER_WEIGHT) and len(tensor.dims) > 3 for tensor in model.graph.initializer):
        raise BadInputError(f"{path} is a fast voice already", "distil its original instead")
    graph = VoiceGraph(
        model=model,
        latent=reader.input_of(FIRST_DECODER_WEIGHT),
        speaker=reader.input_of(SPEAKER_WEIGHT) if reader.has(SPEAKER_WEIGHT) else "",
        weights=reader.weights(),
    )
    if graph.opset not in _OPSETS:
        _unusual(path, f"its operations have version {graph.opset}, not {_OPSETS[0]} to {_OPSETS[-1]}")
    return graph


class _Reader:
    """Finds tensors by the weights that are used next to them."""

    def __init__(self, path: Path, model: Any) -> None:
        self._path = path
        self._nodes = list(model.graph.node)
        self._initializers = {tensor.name: tensor for tensor in model.graph.initializer}

    def has(self, ending: str) -> bool:
        """Whether a node has a weight whose name ends like this."""
        return next(self._with(ending), None) is not None

    def input_of(self, ending: str) -> str:
        """The input of the node that has this weight."""
        node = next(self._with(ending), None)
        if node is None:
            _unusual(self._path, f"it has no weight {ending}")
        return str(node.input[0])

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Weights and biases of the decoder. A weight that lost its name in the export is next to a named bias."""
        from onnx import numpy_helper

        found = {}
        for node in self._nodes:
            if node.op_type not in _CONVOLUTIONS:
                continue
            named = next((own for own in map(_own_name, node.input[1:]) if own), None)
            if named is None:
                continue
            layer = named.rpartition(".")[0]
            for kind, name in zip(("weight", "bias"), node.input[1:], strict=False):
                if name in self._initializers:
                    array = numpy_helper.to_array(self._initializers[name])
                    found[f"{layer}.{kind}"] = np.array(array, dtype=np.float32)  # writable, as torch wants it
        return found

    def _with(self, ending: str) -> Iterator[Any]:
        return (node for node in self._nodes if any(name.endswith(ending) for name in node.input[1:]))


def _own_name(name: str) -> str:
    """The name as in a checkpoint, of a weight of the decoder; else ""."""
    place = 0 if name.startswith(_DECODER) else name.find(f".{_DECODER}") + 1
    return name[place:] if name[place:].startswith(_DECODER) else ""


def _unusual(path: Path, reason: str) -> NoReturn:
    raise BadInputError(
        f"{path} cannot be distilled: {reason}",
        "use an ONNX file or a checkpoint of Piper or of `voxmatrix train` with the usual network",
    )
