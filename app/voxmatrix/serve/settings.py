"""The settings of the server."""

from dataclasses import dataclass
from pathlib import Path

from voxmatrix.plan.device_request import AUTO, DeviceRequest


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """How the server listens, whom it answers, and what it may use."""

    voice: Path | None = None  # the default voice; None: the first one that can be loaded
    host: str = "127.0.0.1"
    port: int = 3000  # 0: any free one
    wyoming_host: str = "127.0.0.1"
    wyoming_port: int | None = None  # None: Wyoming is not spoken
    key_digests: frozenset[bytes] = frozenset()  # SHA-256 of the keys; none: no key is needed
    allowed_hosts: tuple[str, ...] = ()  # names that a request may address, besides loopback's and `host`
    device: DeviceRequest = AUTO
    threads: int = 0  # CPU threads; 0: all that this process may use
    max_input: int = 4096  # characters; OpenAI's limit
    queue: int = 32  # answers that wait for a voice
    voice_memory_mib: int = 2048
    voice_idle_seconds: float = 3600.0
    max_upload_bytes: int = 2 * 2**30
    cluster: str = ""  # the broker that books may be spoken with; none: this computer only

    @property
    def max_body_bytes(self) -> int:
        """The longest input as JSON, where a character takes up to twelve bytes (two escapes), and the other fields."""
        return 12 * self.max_input + 64 * 1024
