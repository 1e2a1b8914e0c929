"""The measurements of one recording. Importing it imports no numpy."""

from typing import NamedTuple

#: Raise it when the measurements change: they are then taken again.
VERSION = 1


class Measures(NamedTuple):
    """What one recording sounds like. Levels are in dBFS, of frames of 23 ms; times in seconds from its beginning."""

    speech_dbfs: float = -120.0  # the loud parts
    noise_dbfs: float = -120.0  # the quietest tenth of a second
    offset: float = 0.0  # the mean of the samples (DC), -1..1
    hum_hz: float = 0.0  # 0: there is none
    hum_dbfs: float = -120.0
    edge_hz: float = 0.0  # where its spectrum ends
    decay_db: float = 0.0  # how fast speech fades away, in dB a second
    click_seconds: float = -1.0  # where there is one; -1: nowhere
    clicks: int = 0
    flat_tops: int = 0  # waves that are flat at the peak
    voice_hz: float = 0.0  # the median pitch; 0: there is none
    before_seconds: float = 0.0  # without speech at the beginning
    after_seconds: float = 0.0
    pause_seconds: float = 0.0  # the longest pause within
    pause_at: float = 0.0
    active_seconds: float = 0.0  # of speech, without pauses
    first_dbfs: float = -120.0  # the loudest of the first and of the last frames
    last_dbfs: float = -120.0
    lone_channel: int = -1  # the only one that is used, as the others have noise alone

    @property
    def snr_db(self) -> float:
        """How far the noise is below the speech."""
        return self.speech_dbfs - self.noise_dbfs
