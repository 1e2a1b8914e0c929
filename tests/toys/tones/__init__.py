"""A family of voices that speak in tones: as unlike the family that is built in as the protocol allows.

A voice is one file, NAME.tones, with JSON. It has no phonemes and no network, a rate and knobs of its own, and may have
any number of speakers; `library` downloads some. `VOXMATRIX_FAMILIES=tests.toys.tones` adds the family to the program.
"""

import json
import os
import signal
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, DamagedFileError, Finding
from voxmatrix.models.card import Capabilities, Knob, VoiceCard
from voxmatrix.models.device import GpuSupport, SpeakDevice, Warn
from voxmatrix.models.family import Family, Utterance
from voxmatrix.models.library import Library, LibraryVoice
from voxmatrix.models.style import Runtime, Style
from voxmatrix.text.spoken import SpokenText

NAME = "tones"
SUFFIX = ".tones"
#: What a worker takes for each sentence, in seconds, whatever its voice says: the same voice may be slow somewhere.
SECONDS_VARIABLE = "TONES_SECONDS"
_CHARACTER_SECONDS = 0.04
KNOBS = {
    "vibrato": Knob(title="Depth of the vibrato", default=0.1, low=0.0, high=1.0),
    "brightness": Knob(title="Loudness of the overtone", default=0.3, low=0.0, high=1.0),
}


class TonesFamily:
    """All of them."""

    name = NAME
    trainable = False
    language_names: Mapping[str, str] = {}

    @property
    def library(self) -> Library[LibraryVoice]:
        from tests.toys.tones.library import LIBRARY

        return LIBRARY

    def find(self, folder: Path) -> Mapping[str, Path]:
        return {path.stem: path for path in sorted(folder.glob(f"*{SUFFIX}"))}

    def owns(self, path: Path) -> Path | None:
        if not path.is_dir():
            return path if path.suffix == SUFFIX else None
        voices = list(self.find(path).values())
        return voices[0] if len(voices) == 1 else None

    def named(self, name: str) -> Path | None:
        return None

    def tidy(self) -> None:
        """Nothing: a voice is one file."""

    def uses_torch(self, path: Path) -> bool:
        """No."""
        return False

    def card(self, path: Path) -> VoiceCard:
        if not path.is_file():
            raise BadInputError(f"there is no voice {path}", f"choose NAME{SUFFIX}")
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            pitches = dict(facts["speakers"])
            rate_hz = int(facts["rate_hz"])
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedFileError(f"{path} is no voice of tones: {error!r}", "write it again") from error
        return VoiceCard(
            id=path.stem,
            family=NAME,
            files=(path,),
            rate_hz=rate_hz,
            languages=("en-us",),
            num_speakers=len(pitches),
            speakers={name: number for number, name in enumerate(pitches)},
            license=str(facts.get("license", "")),
            facts=facts,
            capabilities=Capabilities(knobs=KNOBS, speed=(0.5, 2.0), may_teach=bool(facts.get("may_teach"))),
        )

    def gpu_support(self) -> GpuSupport:
        return GpuSupport(kinds=frozenset(), by="numpy", remedy="leave --device out")

    def open(self, card: VoiceCard, device: SpeakDevice, runtime: Runtime, warn: Warn) -> "TonesVoice":
        return TonesVoice(card)


@dataclass
class TonesVoice:
    """An open voice."""

    card: VoiceCard
    parallel: int = 1
    is_loaded: bool = True
    processes: tuple[int, ...] = ()

    def load(self) -> None: ...

    def say(self, text: SpokenText, style: Style, seed: int | None) -> Utterance:
        words = text.text.split()
        if not any(character.isalnum() for character in text.text):
            nothing = Finding(problem=f"{text.text!r} has no word", remedy="write one", severity="warning")
            return Utterance(findings=(nothing,))
        numbers = np.random.default_rng(seed)
        starts = [(word, int(numbers.integers(2**32))) for word in words]
        segments = [partial(self._word, word, style, start) for word, start in starts]
        return Utterance(segments=[partial(self._begin, text.text), *segments], symbols=len(text.text))

    def _begin(self, text: str) -> Samples:
        """Nothing to hear, but what tests want to happen."""
        time.sleep(float(os.environ.get(SECONDS_VARIABLE) or self.card.facts.get("seconds", 0.0)))
        if "always fails" in text:
            raise ValueError("this text always fails")
        if "always kills" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        return np.zeros(0, np.float32)

    def _word(self, word: str, style: Style, seed: int) -> Samples:
        """A tone for a word, with some noise by the seed."""
        rate_hz = self.card.rate_hz
        times = np.arange(round(rate_hz * _CHARACTER_SECONDS * (1 + len(word)) / style.speed)) / rate_hz
        pitch = list(self.card.facts["speakers"].values())[self.card.speaker(style.speaker)]
        pitch *= 1 + zlib.crc32(word.encode()) % 100 / 200
        phase = 2 * np.pi * pitch * times + self.card.knob(style, "vibrato") * np.sin(2 * np.pi * 6 * times)
        tone = np.sin(phase) + self.card.knob(style, "brightness") * np.sin(2 * phase)
        noise = np.random.default_rng(seed).standard_normal(len(times))
        return (0.2 * tone + self.card.facts.get("noise", 0.01) * noise).astype(np.float32)

    def warnings(self) -> tuple[Finding, ...]:
        return ()

    def close(self) -> None: ...


FAMILY: Family = TonesFamily()
