"""A voice in memory: what is known of it while it is open."""

import time
from dataclasses import dataclass, field

from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import SpeakDevice
from voxmatrix.models.family import OpenVoice

#: Changes when a file of a voice is replaced: times and sizes.
FileVersion = tuple[int, ...]


@dataclass(eq=False)
class VoiceInMemory:
    """An open voice, and its loudness."""

    card: VoiceCard
    voice: OpenVoice
    device: SpeakDevice
    version: FileVersion
    users: int = 0
    last_used: float = field(default_factory=time.monotonic)
    #: By speaker, the gain of what was spoken last: a next answer need not be measured before it can leave.
    gains_db: dict[int, float] = field(default_factory=dict)

    @property
    def device_kind(self) -> str:
        """The kind of its device: cpu, cuda …"""
        return _kind(self.device)


def file_version(card: VoiceCard) -> FileVersion:
    """The version of the files of a voice as they are now.

    Raises:
        OSError: one is missing.
    """
    stats = [path.stat() for path in card.files]
    return tuple(fact for stat in stats for fact in (stat.st_mtime_ns, stat.st_size))


def device_name(card: VoiceCard, device: SpeakDevice) -> str:
    """The name of a voice with the kind of its device: NAME_cuda, NAME_cpu."""
    return f"{card.path.stem}_{_kind(device)}"


def _kind(device: SpeakDevice) -> str:
    return "cpu" if device.on is None else device.on.gpu.kind
