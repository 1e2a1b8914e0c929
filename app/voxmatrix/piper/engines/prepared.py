"""What an exported voice needs to be opened, prepared once and then kept in the cache.

Its split takes 0.1 s, most of it to import the package onnx, and fusing a student's operations 0.1 s. A first half
with fewer operations takes half a second, so it is prepared for texts of many sentences, or of a seed, and used for all
from then on.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.inference.session import open_session, write_fused
from voxmatrix.piper.engines.base import SynthesisOptions
from voxmatrix.piper.engines.networks import all_inputs, on_cpu, voice_errors
from voxmatrix.piper.onnx import cache
from voxmatrix.piper.onnx.parts import ModelPart, SplitModel

#: Ids of the sentence on which other networks are tried.
_PROBE_IDS = 24
#: Errors of graphs that are damaged, or no voice's.
_UNREADABLE = (ValueError, LookupError, TypeError, OSError, RecursionError)
#: The operation that onnxruntime fuses with its neighbours.
_INTEGER_PRODUCT = b"MatMulInteger"
#: How onnxruntime names the type of samples.
_FLOATS = "tensor(float)"
#: How far the output of a first half may be from that of the original, as a part of it: rounding makes 1e-5.
_ROUNDING = 1e-3


def split_voices(path: Path) -> Iterator[SplitModel]:
    """The halves of the voice in `path` as they are stored, rewritten if that has been done, and then, for the case
    that these cannot be loaded, as they are in the file. Nothing if it cannot be split.
    """
    for rewritten in (True, False):
        stored = cache.load_split(path, rewritten=rewritten)
        if stored is not None:
            yield stored
            cache.remove(path)
    if cache.is_whole(path):
        return  # it is known that it cannot be split
    split = None
    with suppress(*_UNREADABLE), _no_collection():  # `whole_voices` says what is wrong
        from voxmatrix.piper.onnx.model_split import split_model, whole_model
        from voxmatrix.piper.onnx.reading import read_model

        model = read_model(path)
        split = split_model(path, model)
        if split is None:
            whole, inputs = whole_model(path, model)
            cache.store_whole(path, _fused(path, whole), inputs)
        else:
            cache.store_split(path, split)
    if split is not None:
        yield split


def whole_voices(path: Path) -> Iterator[tuple[ModelPart, frozenset[str]]]:
    """The voice in `path` in one part, and its inputs: with its noise as an input, and then, for the case that this
    cannot be loaded, as it is.

    Raises:
        DamagedFileError: onnxruntime cannot load it.
    """
    is_stored = cache.is_whole(path)
    stored = cache.load_whole(path)
    if stored is not None:
        yield stored
    cache.remove(path)  # it is damaged
    whole = None
    with suppress(*_UNREADABLE), _no_collection():
        from voxmatrix.piper.onnx.model_split import whole_model

        whole = whole_model(path)
        if is_stored:  # prepared again in the home, which comes before what an image has
            cache.store_whole(path, _fused(path, whole[0]), whole[1])
    if whole is not None:
        yield whole
    session = open_session(path)
    inputs = frozenset(one.name for one in session.get_inputs())
    # The first output of float32 numbers; of any others if there is none.
    output = min(session.get_outputs(), key=lambda one: one.type != _FLOATS).name
    yield ModelPart(None, inputs, output, path.parent), inputs


def rewritten_voice(path: Path, split: SplitModel) -> SplitModel:
    """The halves of the voice, the first with fewer operations if that gives the same samples but for rounding."""
    if split.is_rewritten:
        return split
    found = cache.load_split(path, rewritten=True)
    if found is not None:
        return found
    import onnx

    from voxmatrix.piper.onnx.rewriting import rewrite

    def is_right(first: ModelPart) -> bool:
        return is_close(_probe(path, first), _probe(path, split.first), _ROUNDING)

    made = replace(split, is_rewritten=True)
    with suppress(*_UNREADABLE), fall_back_on_error(path):
        model = onnx.ModelProto.FromString(split.first.model)
        if rewrite(model, path):
            cache.store_split(path, made, model, is_right)
            if (stored := cache.load_split(path, rewritten=True)) is not None:
                return stored
            model = onnx.ModelProto.FromString(split.first.model)  # nothing can be stored, or it is not right
            rewrite(model, path)
            first = replace(split.first, model=model.SerializeToString())
            if is_right(first):
                return replace(made, first=first)
    cache.store_split(path, made)
    return made


def probe_inputs() -> dict[str, Any]:
    """The inputs of a sentence."""
    return all_inputs([0] * _PROBE_IDS, SynthesisOptions(), 0)


def is_close(made: Samples, wanted: Samples, part: float) -> bool:
    """Whether they differ by no more than this part of what is wanted."""
    return made.shape == wanted.shape and bool(np.linalg.norm(made - wanted) <= part * np.linalg.norm(wanted))


@contextmanager
def fall_back_on_error(path: Path) -> Iterator[None]:
    """Leave the block if its networks cannot be opened or computed: the original ones tell the user why, if so."""
    with suppress(BadInputError, DamagedFileError, MemoryError, RuntimeError), voice_errors(path):
        yield


def _fused(path: Path, whole: ModelPart) -> ModelPart:
    """The voice with fewer operations where it multiplies integers, as students do. A GPU may not have those."""
    if whole.model is None or _INTEGER_PRODUCT not in whole.model:
        return whole
    with TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder, suppress(OSError):
        out = Path(folder) / "fused.onnx"
        with fall_back_on_error(path):
            write_fused(path, whole.model, out)
            return replace(whole, model=out.read_bytes())
    return whole


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector: it would run for thousands of small objects, which takes half of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        import onnx  # noqa: F401 - which makes such objects, too

        yield
    finally:
        if was_enabled:
            gc.enable()


def _probe(path: Path, part: ModelPart) -> Samples:
    return on_cpu(path, part).run(probe_inputs())
