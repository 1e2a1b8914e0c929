"""An exported voice through onnxruntime, in pieces where its network can be cut. torch is never imported here."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from app.errors import BadInputError, DamagedFileError
from app.speak.engine import Engine, Manner, Part, Samples
from app.speak.halves import Halves, halves
from app.speak.session import OUTPUT, check_inputs, damaged, open_session, seed_sessions, sentence_inputs

#: A sentence of more samples is made in pieces. So many stay in a CPU's own cache from layer to layer, which saves more
#: time than the margins cost that each piece computes beside its own (measured: medium, 4096 to 65536 samples).
PIECE_SAMPLES = 8192


def open_onnx(path: Path, num_speakers: int, seed: int | None = None) -> Engine:
    """The engine of a voice in `path`. Any number of threads may ask it at once.

    Raises:
        BadInputError: it is no voice of Piper, or is not the one that the card describes.
        DamagedFileError: it is cut short, or is no ONNX.
    """
    path = path.resolve()  # weights are looked for beside the file itself, not beside a link to it
    if seed is not None:
        seed_sessions(seed)
    try:
        cut = halves(path)
    except (ValueError, OSError, RecursionError) as error:
        raise damaged(path, str(error)) from error
    if cut is not None:
        check_inputs(path, cut.inputs, frozenset({cut.second.output}), num_speakers)
        with suppress(DamagedFileError):  # when the whole cannot be loaded either, that says so
            return PieceEngine(path, cut)
    return WholeEngine(path, num_speakers, seeded=seed is not None)


class WholeEngine:
    """A voice whose network cannot be cut: sentences side by side, each in one go."""

    def __init__(self, path: Path, num_speakers: int, *, seeded: bool = False) -> None:
        self._path = path
        self._seeded = seeded
        self._session = open_session(path)
        self._inputs = frozenset(one.name for one in self._session.get_inputs())
        outputs = frozenset(one.name for one in self._session.get_outputs())
        check_inputs(path, self._inputs, outputs, num_speakers)

    def begin(self, ids: Sequence[int], manner: Manner) -> list[Part]:
        """The whole sentence as one part."""
        speak = partial(self._speak, sentence_inputs(ids, manner))
        if not self._seeded:
            return [speak]
        samples = speak()  # sentences begin in order, and so does what is random in them
        return [lambda: samples]

    def reseed(self, seed: int) -> None:
        """Open the session anew: only then does onnxruntime begin its randomness."""
        seed_sessions(seed)
        self._session, self._seeded = open_session(self._path), True

    def _speak(self, inputs: Mapping[str, Any]) -> Samples:
        return _run(self._path, self._session, OUTPUT, _of(inputs, self._inputs)).reshape(-1)


class PieceEngine:
    """A voice in two halves: the first at once, then the second piece by piece, side by side."""

    def __init__(self, path: Path, cut: Halves) -> None:
        self._path = path
        self._cut = cut
        self._first = open_session(path, cut.first.model)
        self._second = open_session(path, cut.second.model, optimised=cut.planes)

    def begin(self, ids: Sequence[int], manner: Manner) -> list[Part]:
        """Run the first half; each part runs the second over a piece of what came out."""
        inputs = sentence_inputs(ids, manner)
        between = _run(self._path, self._first, self._cut.between, _of(inputs, self._cut.first.inputs))
        places = pieces(between.shape[-1], PIECE_SAMPLES // self._cut.reach.hop)
        return [partial(self._piece, inputs, between, *place) for place in places]

    def reseed(self, seed: int) -> None:
        """Open the first half anew, which is the small one: nothing in the second is random."""
        seed_sessions(seed)
        self._first = open_session(self._path, self._cut.first.model)

    def _piece(self, inputs: Mapping[str, Any], between: Samples, start: int, end: int) -> Samples:
        """Samples of between[start:end], which hang on the places around them."""
        reach = self._cut.reach
        first, last = max(0, start - reach.margin), min(between.shape[-1], end + reach.margin)
        piece = between[:, :, None, first:last] if self._cut.planes else between[:, :, first:last]
        given = _of(inputs, self._cut.second.inputs) | {self._cut.between: piece}
        samples = _run(self._path, self._second, self._cut.second.output, given).reshape(-1)
        return samples[(start - first) * reach.hop : (end - first) * reach.hop]


def pieces(places: int, most: int) -> list[tuple[int, int]]:
    """Where to cut a sentence: pieces of nearly equal length, none longer than `most`."""
    count = max(1, -(-places // max(1, most)))
    edges = [places * number // count for number in range(count + 1)]
    return list(pairwise(edges))


def _of(inputs: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if name in names}


def _run(path: Path, session: Any, output: str, inputs: Mapping[str, Any]) -> Samples:
    try:
        result: Samples = session.run([output], inputs)[0]
    except Exception as error:
        if not type(error).__module__.startswith("onnxruntime"):
            raise
        raise BadInputError(
            f"the voice {path} cannot speak this sentence: {str(error).strip().splitlines()[0]}",
            "check that its JSON belongs to it (num_symbols, phoneme_id_map); or get the voice again",
        ) from error
    return result
