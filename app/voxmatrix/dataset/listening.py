"""What models hear in recordings: other words than those of the text, and other speakers.

What was heard is kept in the cache by the sound, so that a second `prepare` hears nothing again.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from voxmatrix.dataset.cache import Cache
from voxmatrix.dataset.checks import OTHER_SPEAKER_REMEDY
from voxmatrix.dataset.problems import problem_of, recording_of
from voxmatrix.dataset.processing import ProcessedRecording
from voxmatrix.dataset.sound_checks import MIN_COMPARED, UNCLEAR
from voxmatrix.progress import OnProgress
from voxmatrix.transcripts.lines import Problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from voxmatrix.audio.waves import Samples

#: Raise it when the likeness is computed otherwise.
_LIKENESS_VERSION = 1
#: Clips of one speaker are so much like all others together, at least; and the likeness is that far below the median.
#: Of one voice, 170 clips of 1 s and more have 0.77 at least, and of another voice 0.45.
_SAME, _BELOW = 0.7, 0.1
#: Faults that make a voice unlike itself.
_UNLIKE = UNCLEAR | {"clipped", "narrow-band"}
#: Shorter speech tells nothing of its speaker.
_MIN_SECONDS = 1.0


class Heard(NamedTuple):
    """What the recogniser hears in a clip, and its confidence (0 to 1)."""

    text: str
    confidence: float


class LikenessVector(NamedTuple):
    """The voice of a clip: a vector of length 1 as float16, in hexadecimal."""

    vector: str


class ClipRecogniser(Protocol):
    """What hears words."""

    name: str

    def hear(self, samples: "Samples", rate_hz: int) -> tuple[str, float]:
        """The words of a clip, and their probability."""
        ...

    def missing(self, text: str, heard: str) -> str:
        """What is wrong with the words that were heard; "" if they are those of the text."""
        ...


@dataclass(frozen=True, kw_only=True)
class Listeners:
    """Models that listen; None: there is none."""

    recogniser: ClipRecogniser | None = None
    #: Speech at a sample rate → a vector of length 1; the product of two is their likeness.
    likeness: "Callable[[Samples, int], NDArray[np.float32]] | None" = None


NOBODY = Listeners()


def listen(
    items: Sequence[ProcessedRecording],
    listeners: Listeners,
    cache: Cache,
    language: str,
    *,
    known: Sequence[Problem] = (),
    on_progress: OnProgress | None = None,
) -> list[Problem]:
    """Problems of the words and the speakers of usable recordings. `known`: their other problems.

    Raises:
        UnreachableError: the cache cannot be written.
    """
    progress = on_progress or (lambda done, total: None)
    problems: list[Problem] = []
    if listeners.likeness is not None:
        unclear = {problem.recording for problem in known if problem.kind in _UNLIKE}
        clear = [item for item in items if recording_of(item) not in unclear]
        problems += _other_speakers(clear, _vectors(clear, listeners.likeness, cache))
    if listeners.recogniser is not None:
        for done, item in enumerate(items):
            progress(done, len(items))
            problems += _other_words(item, listeners.recogniser, cache, language)
        progress(len(items), len(items))
    cache.save()
    return problems


def _samples(item: ProcessedRecording, cache: Cache) -> "Samples":
    import numpy as np

    from voxmatrix.audio.waves import INT16_MAX

    stored = np.load(Cache.clip_path(cache.folder, item.sound_key))
    samples: Samples = stored / np.float32(INT16_MAX)
    return samples


def _other_words(
    item: ProcessedRecording, recogniser: ClipRecogniser, cache: Cache, language: str
) -> Iterator[Problem]:
    from voxmatrix.text.markup import without_markup

    key = f"{item.sound_key} {recogniser.name} {language}"
    heard = cache.lookup(Heard, [key]).get(key)
    if heard is None:
        heard = Heard(*recogniser.hear(_samples(item, cache), item.sound.rate_hz))
        cache.store(key, heard)
        cache.save()  # it took a second or more, which a kill should not cost again
    if doubt := recogniser.missing(without_markup(item.recording.text), heard.text):
        yield problem_of(item, "other-words", doubt, "correct the text to what is spoken, or record it again")


def _vectors(
    items: Sequence[ProcessedRecording], likeness: "Callable[[Samples, int], NDArray[np.float32]]", cache: Cache
) -> "list[NDArray[np.float32]]":
    import numpy as np

    keys = [f"{_LIKENESS_VERSION}:{item.sound_key}" for item in items]
    known = cache.lookup(LikenessVector, keys)
    vectors: list[NDArray[np.float32]] = []
    for key, item in zip(keys, items, strict=True):
        if key not in known:
            vector = likeness(_samples(item, cache), item.sound.rate_hz)
            known[key] = LikenessVector(vector.astype(np.float16).tobytes().hex())
            cache.store(key, known[key])
        kept: NDArray[np.float16] = np.frombuffer(bytes.fromhex(known[key].vector), np.float16)
        vectors.append(kept.astype(np.float32))
    return vectors


def _other_speakers(items: Sequence[ProcessedRecording], vectors: "Sequence[NDArray[np.float32]]") -> Iterator[Problem]:
    """Recordings that are unlike the others of the same speaker."""
    import numpy as np

    groups: dict[str | None, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        if item.sound.trimmed_seconds >= _MIN_SECONDS:
            groups[item.recording.speaker].append(place)
    for places in groups.values():
        if len(places) < MIN_COMPARED:
            continue
        voices = np.stack([vectors[place] for place in places])
        others = voices.sum(0) - voices
        likeness = np.einsum("nv,nv->n", voices, others / np.linalg.norm(others, axis=1, keepdims=True))
        limit = min(_SAME, float(np.median(likeness)) - _BELOW)
        for place, alike in zip(places, likeness.tolist(), strict=True):
            if alike < limit:
                what = f"its voice is another one: its likeness to the other recordings is {alike:.2f}"
                yield problem_of(items[place], "other-speaker", what, OTHER_SPEAKER_REMEDY)
