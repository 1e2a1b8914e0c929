"""The settings of speech synthesis."""

from dataclasses import dataclass, field

from voxmatrix.errors import UsageError
from voxmatrix.text.lexicon import Lexicon

MAX_PAUSE_SECONDS = 60.0
MAX_SPEED = 10.0
MAX_NOISE = 10.0
MAX_VOLUME = 10.0
#: torch takes seeds below 2**64, and every sentence of a text uses the next one.
MAX_SEED = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class SpeakSettings:
    """How a text is spoken. None means the default of the voice config."""

    speaker: str | None = None  # name or number
    speed: float = 1.0  # 2.0 speaks twice as fast
    noise: float | None = None  # variation of the sound
    noise_w: float | None = None  # variation of the rhythm
    pause_seconds: float = 0.2  # between sentences
    volume: float = 1.0  # 0.5 is half the amplitude
    lexicon: Lexicon = field(default_factory=Lexicon)
    levelled: bool = True  # make sentences equally loud
    seed: int | None = None  # reproduces speech exactly on the same machine and version
    threads: int = 0  # CPU threads; 0: all that this process may use
    force: bool = False  # overwrite existing files
    raw: bool = False  # 16-bit samples without a header
    bitrate: str | None = None  # for mp3, ogg, opus and m4a

    def __post_init__(self) -> None:
        _within("--speed", self.speed, 1 / MAX_SPEED, MAX_SPEED)
        _within("--noise", self.noise, 0.0, MAX_NOISE)
        _within("--noise-w", self.noise_w, 0.0, MAX_NOISE)
        _within("--sentence-pause", self.pause_seconds, 0.0, MAX_PAUSE_SECONDS)
        _within("--volume", self.volume, 0.0, MAX_VOLUME)
        _within("--threads", self.threads, 0, 1024)
        _check_seed(self.seed)


def _check_seed(seed: int | None) -> None:
    if seed is not None and seed < 0:
        raise UsageError(f"--seed is {seed}, must not be negative", "set --seed to 0 or more")
    if seed is not None and seed > MAX_SEED:
        raise UsageError(f"--seed is {seed}, more than torch can use", f"set --seed to {MAX_SEED} or less")


def _within(flag: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least <= value <= most:
        raise UsageError(f"{flag} is {value}", f"choose a number from {least:g} to {most:g}")
