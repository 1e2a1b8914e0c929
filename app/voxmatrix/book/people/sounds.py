"""How voices sound: measured once a voice from a few seconds of its speech, and kept."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from voxmatrix.audio.pitch import pitch
from voxmatrix.audio.waves import Samples
from voxmatrix.config import home
from voxmatrix.errors import VoxmatrixError
from voxmatrix.files import read_text_or_empty, write_text
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.progress import OnProgress
from voxmatrix.speak.narration import Narration
from voxmatrix.voices.resolve import installed, open_voice

#: Speakers of one voice that are measured: some have a thousand.
_MOST_SPEAKERS = 12
#: Below and above, a voice is taken for a man's or a woman's, where its card does not say.
_MAN_BELOW_HZ, _WOMAN_ABOVE_HZ = 145.0, 175.0
#: The tilt compares the energy below and above.
_SPLIT_HZ = 1000.0


@dataclass(frozen=True)
class VoiceSound:
    """How a voice, or a speaker of it, sounds."""

    name: str  # as a table names it: voice, or voice|speaker
    sex: str  # m, f, or unknown
    pitch_hz: float  # median
    tilt_db: float  # how much louder it is below 1 kHz than above
    rate: float  # characters per second

    def distance(self, other: "VoiceSound") -> float:
        """How different they sound: 1 is a difference of a third in pitch, of 6 dB, or of a quarter in rate."""
        octaves = abs(np.log2(self.pitch_hz / other.pitch_hz)) / 0.33
        rates = abs(np.log2(self.rate / other.rate)) / 0.32
        return float(np.hypot(np.hypot(octaves, (self.tilt_db - other.tilt_db) / 6), rates))


def voices_at_hand(
    language: str, text: str, on_progress: OnProgress = lambda done, total: None
) -> Iterator[VoiceSound]:
    """The installed voices of a language that are no model of minutes; `text` is what they say to be measured.

    A voice that cannot be opened is left out.
    """
    path = home() / "cache" / "voice-sounds.json"
    known = json.loads(read_text_or_empty(path) or "{}")
    cards = [(name, family.card(file)) for name, (family, file) in installed().items()]
    spoken = language.split("-", maxsplit=1)[0]
    cards = [
        (name, card)
        for name, card in cards
        if not card.capabilities.autoregressive and card.language.split("-")[0] == spoken
    ]
    for number, (name, card) in enumerate(cards):
        on_progress(number, len(cards))
        for speaker in card.speaker_names[:_MOST_SPEAKERS] or [""]:
            key = f"{card.digest}|{speaker}"
            if key not in known:
                try:
                    known[key] = _measured(card, speaker, text)
                except VoxmatrixError:
                    continue
                _keep(path, known)
            yield VoiceSound(name=f"{name}|{speaker}" if speaker else name, **known[key])


def sound_of(samples: Samples, rate_hz: int, characters: int) -> tuple[float, float, float]:
    """Median pitch in Hz, tilt in decibels and characters per second of speech; a pitch of 0: it has none."""
    measured = pitch(samples, rate_hz)
    hz = float(np.median(measured.hz[measured.voiced])) if measured.voiced.any() else 0.0
    power = np.abs(np.fft.rfft(samples.astype(np.float64))) ** 2
    below = np.fft.rfftfreq(len(samples), 1 / rate_hz) < _SPLIT_HZ
    tilt = 10 * np.log10((power[below].sum() + 1e-9) / (power[~below].sum() + 1e-9))
    return hz, float(tilt), characters * rate_hz / max(1, len(samples))


def _measured(card: VoiceCard, speaker: str, text: str) -> dict[str, float | str]:
    with closing(open_voice(card)) as opened:
        pieces = [piece.sentence.samples for piece in Narration(opened, text, Style(seed=0, speaker=speaker or None))]
    hz, tilt, rate = sound_of(np.concatenate(pieces), card.rate_hz, len(text))
    sex = {"male": "m", "female": "f"}.get(card.gender.lower(), "")
    sex = sex or ("m" if 0 < hz < _MAN_BELOW_HZ else "f" if hz > _WOMAN_ABOVE_HZ else "")
    found = VoiceSound("", sex, round(hz or (_MAN_BELOW_HZ + _WOMAN_ABOVE_HZ) / 2, 1), round(tilt, 1), round(rate, 2))
    return {key: value for key, value in asdict(found).items() if key != "name"}


def _keep(path: Path, known: dict[str, dict[str, float | str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(known, indent=1))
