"""A family of voices that take only the time that they are told: `VOXMATRIX_FAMILIES=tools.bench.books.free_voice`.

A sentence is one second of silence. What remains is the cost of everything around a voice.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import Finding
from voxmatrix.models.card import Capabilities, VoiceCard
from voxmatrix.models.device import GpuSupport, SpeakDevice, Warn
from voxmatrix.models.family import Family, Utterance
from voxmatrix.models.style import Runtime, Style
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.families import VARIABLE

RATE_HZ = 16000
SUFFIX = ".free"
#: The seconds that each sentence takes.
SECONDS_VARIABLE = "FREE_VOICE_SECONDS"


class FreeFamily:
    """Voices of any file NAME.free."""

    name = "free"
    trainable = False
    language_names: Mapping[str, str] = {}
    library = None

    def find(self, folder: Path) -> Mapping[str, Path]:
        """The files of voices in a folder."""
        return {path.stem: path for path in folder.glob(f"*{SUFFIX}")}

    def owns(self, path: Path) -> Path | None:
        """The file, if it is a free voice."""
        return path if path.suffix == SUFFIX else None

    def named(self, name: str) -> Path | None:
        """None."""
        return None

    def tidy(self) -> None:
        """Nothing."""

    def uses_torch(self, path: Path) -> bool:
        """No."""
        return False

    def card(self, path: Path) -> VoiceCard:
        """A voice of a language whose numbers nobody reads here."""
        return VoiceCard(
            id=path.stem,
            family=self.name,
            files=(path,),
            rate_hz=RATE_HZ,
            languages=("fi",),
            capabilities=Capabilities(),
        )

    def gpu_support(self) -> GpuSupport:
        """None."""
        return GpuSupport(kinds=frozenset(), by="nothing", remedy="leave --device out")

    def open(self, card: VoiceCard, device: SpeakDevice, runtime: Runtime, warn: Warn) -> "FreeVoice":
        """A voice that takes the time of the environment."""
        return FreeVoice(card, float(os.environ.get(SECONDS_VARIABLE, "0")))


@dataclass
class FreeVoice:
    """An open voice, which sleeps for some seconds over each sentence."""

    card: VoiceCard
    seconds: float
    parallel: int = 1
    is_loaded: bool = True
    processes: tuple[int, ...] = ()

    def load(self) -> None:
        """Nothing is loaded."""

    def say(self, text: SpokenText, style: Style, seed: int | None) -> Utterance:
        """A second of silence."""
        return Utterance(segments=[self._silence], symbols=len(text.text))

    def _silence(self) -> Samples:
        time.sleep(self.seconds)
        return np.zeros(RATE_HZ, np.float32)

    def warnings(self) -> tuple[Finding, ...]:
        """None."""
        return ()

    def close(self) -> None:
        """Nothing is held."""


FAMILY: Family = FreeFamily()


def environment(seconds: float = 0.0) -> dict[str, str]:
    """The variables of a program that knows this family."""
    return {VARIABLE: "tools.bench.books.free_voice", SECONDS_VARIABLE: str(seconds)}


def voice_file(folder: Path) -> VoiceCard:
    """A voice of this family, whose file travels like those of others."""
    path = folder / f"free{SUFFIX}"
    path.write_bytes(b"weights" * 1000)
    return FAMILY.card(path)
