"""What a person may decide about speaking."""

from dataclasses import dataclass

from voxmatrix.errors import UsageError

MOST_PAUSE_SECONDS = 60.0
MOST_SPEED = 10.0
MOST_NOISE = 10.0


@dataclass(frozen=True, kw_only=True)
class SpeakSettings:
    """How a text is spoken. None means: as the voice's card says."""

    speaker: str | None = None  # name or number
    speed: float = 1.0  # 2.0 speaks twice as fast
    noise: float | None = None  # of the sound
    noise_w: float | None = None  # of the rhythm
    pause_seconds: float = 0.2  # between sentences
    levelled: bool = True  # sentences equally loud; else as the voice gives them
    seed: int | None = None  # the same text then sounds the same, on one machine with one version
    threads: int = 0  # CPU threads; 0 takes what this process may use
    force: bool = False  # replace a file that is there
    raw: bool = False  # 16-bit samples without a header
    bitrate: str | None = None  # for mp3, ogg, opus and m4a

    def __post_init__(self) -> None:
        _within("--speed", self.speed, 1 / MOST_SPEED, MOST_SPEED)
        _within("--noise", self.noise, 0.0, MOST_NOISE)
        _within("--noise-w", self.noise_w, 0.0, MOST_NOISE)
        _within("--pause", self.pause_seconds, 0.0, MOST_PAUSE_SECONDS)
        _within("--threads", self.threads, 0, 1024)


def _within(flag: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least <= value <= most:
        raise UsageError(f"{flag} is {value}", f"choose a number from {least:g} to {most:g}")
