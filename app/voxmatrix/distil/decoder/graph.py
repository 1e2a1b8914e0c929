"""The decoder of a Piper voice in its ONNX graph, its weights, and what it is given."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.piper.onnx.graph_edits import FIRST_DECODER_WEIGHT, SPEAKER_WEIGHT, decoder_input

_DECODER = "dec."
#: Versions of the operations that are added here, and that torch can export.
_OPSETS = range(13, 21)


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
    if any(tensor.name.endswith(FIRST_DECODER_WEIGHT) and len(tensor.dims) > 3 for tensor in model.graph.initializer):
        raise BadInputError(f"{path} is a fast voice already", "distil its original instead")
    latent = decoder_input(model)
    if not latent:
        _unusual(path, f"it has no weight {FIRST_DECODER_WEIGHT}")
    graph = VoiceGraph(
        model=model,
        latent=latent,
        speaker=decoder_input(model, SPEAKER_WEIGHT),
        weights=_weights(model),
    )
    if graph.opset not in _OPSETS:
        _unusual(path, f"its operations have version {graph.opset}, not {_OPSETS[0]} to {_OPSETS[-1]}")
    return graph


def _weights(model: Any) -> dict[str, NDArray[np.float32]]:
    """The weights of the decoder, writable, as torch wants them."""
    from onnx import numpy_helper

    named = ((_own_name(tensor.name), tensor) for tensor in model.graph.initializer)
    return {name: np.array(numpy_helper.to_array(tensor), dtype=np.float32) for name, tensor in named if name}


def _own_name(name: str) -> str:
    """The name as in a checkpoint, of a weight of the decoder; else ""."""
    place = 0 if name.startswith(_DECODER) else name.find(f".{_DECODER}") + 1
    return name[place:] if name[place:].startswith(_DECODER) else ""


def _unusual(path: Path, reason: str) -> NoReturn:
    raise BadInputError(
        f"{path} cannot be distilled: {reason}",
        "use an ONNX file or a checkpoint of Piper or of `voxmatrix train` with the usual network",
    )
