"""The protocol that every family of voices obeys: text goes in, samples come out."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import Finding
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import GpuSupport, SpeakDevice, Warn
from voxmatrix.models.style import Runtime, Style
from voxmatrix.text.spoken import SpokenText
from voxmatrix.text.words import Word

if TYPE_CHECKING:
    from voxmatrix.models.library import Library

#: Computes a segment of a sentence. Segments may be computed in parallel.
PendingSamples = Callable[[], Samples]


@dataclass(frozen=True)
class TimedWord:
    """A word as it is written, and when it is heard, in samples from the beginning of its utterance."""

    text: str
    start: int
    end: int


#: A word is heard from the space before it on: forced alignment finds no gap between words that are spoken without a
#: pause. What is longer is a pause (300 words of two voices: the spaces between words have 40 to 60 ms).
_MAX_ONSET_SECONDS = 0.06


def timed(
    words: Iterable[Word], phonemes: Sequence[str], starts: Sequence[int], ends: Sequence[int], rate_hz: int
) -> list[TimedWord]:
    """Words with their times. Each of their phonemes starts and ends at one of these samples."""

    def start(word: Word) -> int:
        first = starts[word.start]
        if not word.start or not phonemes[word.start - 1].isspace():
            return first
        return max(starts[word.start - 1], first - round(_MAX_ONSET_SECONDS * rate_hz))

    return [
        TimedWord(word.text, start(word), ends[word.end - 1])
        if word.start < word.end
        else TimedWord(word.text, *2 * [ends[word.start - 1] if word.start else 0])
        for word in words
    ]


@dataclass(frozen=True, kw_only=True)
class Utterance:
    """A sentence that is about to be spoken. Its samples are those of its segments, joined in order."""

    segments: Sequence[PendingSamples] = ()  # none if nothing in the sentence can be spoken
    symbols: int = 0  # that the voice reads: phonemes, characters …
    phonemes: Sequence[str] = ()  # of the whole sentence, if the voice has any
    unknown: frozenset[str] = frozenset()  # symbols of the sentence that the voice lacks, and leaves out
    findings: tuple[Finding, ...] = ()  # what else is left out, and why
    #: Its words in order, once its segments are computed; none if the voice does not tell when it says what.
    words: Callable[[], Sequence[TimedWord]] = tuple
    #: What nobody wants any more need not be computed: calls that wait for a segment end with a CancelledError.
    cancel: Callable[[], None] = lambda: None


class OpenVoice(Protocol):
    """An open voice. Thread-safe."""

    card: VoiceCard

    @property
    def parallel(self) -> int:
        """Segments of sentences to compute at once."""
        ...

    @property
    def is_loaded(self) -> bool:
        """Whether it could speak at once."""
        ...

    @property
    def processes(self) -> Collection[int]:
        """The IDs of the processes that it keeps, and perhaps shares with other voices: they count as its memory."""
        ...

    def load(self) -> None:
        """Wait until it can speak.

        Raises:
            VoxmatrixError: it never will.
        """
        ...

    def say(self, text: SpokenText, style: Style, seed: int | None) -> Utterance:
        """Begin to speak one sentence in words. `seed` is the sentence's own; None means any random numbers.

        Raises:
            BadInputError: the voice has no such speaker, or its files do not fit together.
            DamagedFileError: a file of the voice is corrupt.
        """
        ...

    def warnings(self) -> tuple[Finding, ...]:
        """What makes every sentence sound wrong, if anything does."""
        ...

    def close(self) -> None:
        """Release everything that is held."""
        ...


class Family(Protocol):
    """All voices of one kind of model."""

    name: str
    trainable: bool  # voxmatrix can train, export and distil its voices
    language_names: Mapping[str, str]  # its own names of languages, and how espeak-ng names them: a, en-us

    @property
    def library(self) -> "Library[Any] | None":
        """Its voices that can be downloaded; None if it has no such voices."""
        ...

    def find(self, folder: Path) -> Mapping[str, Path]:
        """The voices in a folder of voices, by name, each with the file to open. Only names of files are read."""
        ...

    def owns(self, path: Path) -> Path | None:
        """The file to open of the voice in this file or folder; None if it is not of this family.

        Raises:
            BadInputError: the folder has several.
        """
        ...

    def named(self, name: str) -> Path | None:
        """The file to open of a voice that no folder lists, such as a mixture of others; None if there is none.

        Raises:
            BadInputError: the name means a voice of this family that cannot be made.
        """
        ...

    def tidy(self) -> None:
        """Remove what no voice of the user's needs any more, after some were removed.

        Raises:
            UnreachableError: it cannot be removed.
        """
        ...

    def uses_torch(self, path: Path) -> bool:
        """Whether torch computes the voice in this file, which is not read."""
        ...

    def card(self, path: Path) -> VoiceCard:
        """What is known of the voice in this file. Only small files are read, and nothing large is imported.

        Raises:
            BadInputError: a file of it is missing, or it cannot be used.
            DamagedFileError: a file of it is corrupt.
        """
        ...

    def gpu_support(self) -> GpuSupport:
        """The GPUs that compute those voices that need no torch."""
        ...

    def open(self, card: VoiceCard, device: SpeakDevice, runtime: Runtime, warn: Warn) -> OpenVoice:
        """Open a voice. It may continue loading in the background.

        `warn` is called if the device fails and the CPU takes over, in the thread where that happens.

        Raises:
            As `card`. Errors of large files and of a required device may be raised when the voice first speaks.
        """
        ...
