"""The voices in memory: opened when they are first used, the least recently used ones closed first."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from voxmatrix.closing import Closing
from voxmatrix.errors import Finding, VoxmatrixError
from voxmatrix.models.device import SpeakDevice, Warn
from voxmatrix.piper.voice import Voice, open_voice
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.voices.catalogue import ListedVoice
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.synthesize import front_end
from voxmatrix.text.front import FrontEnd
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.voices.device_selection import select_devices

_MIB = 2**20
#: Memory of an open voice compared with the size of its file (onnxruntime 1.31, 63 MB: 145 to 165 MiB).
_MEMORY_PER_BYTE = 2.75


class LoadingError(VoxmatrixError):
    """A voice that is listed cannot be loaded."""


@dataclass
class OpenVoice(Closing):
    """A voice in memory, with the front ends that no answer uses at present, and its loudness."""

    listed: ListedVoice
    voice: Voice
    version: int  # of the file
    mib: float
    users: int = 0
    last_used: float = field(default_factory=time.monotonic)
    fronts: list[FrontEnd] = field(default_factory=list)
    #: By speaker, the gain of what was spoken last: a next answer need not be measured before it can leave.
    gains_db: dict[int, float] = field(default_factory=dict)

    @contextmanager
    def front(self) -> Iterator[FrontEnd]:
        """A front end of its own for one answer. It is kept for the next one if the answer succeeds."""
        front = self.fronts.pop() if self.fronts else front_end(self.voice, SpeakSettings())
        front.renew(Lexicon())
        try:
            yield front
        except BaseException:
            front.close()  # its reader may still be busy with it
            raise
        self.fronts.append(front)

    def close(self) -> None:
        """Close everything."""
        self.voice.close()
        while self.fronts:
            self.fronts.pop().close()


class LoadedVoices(Closing):
    """Opens voices on demand, within a limit of memory. Thread-safe."""

    def __init__(
        self,
        device: DeviceRequest,
        threads: int,
        memory_mib: int,
        idle_seconds: float,
        *,
        warn: Warn,
        on_count: Callable[[int], None] = lambda count: None,
    ) -> None:
        """`warn` is called when a device fails, `on_count` whenever the number of voices changes."""
        self.lost_device: Finding | None = None
        self._device = device
        self._threads = threads
        self._memory_mib = memory_mib
        self._idle_seconds = idle_seconds
        self._warn = warn
        self._on_count = on_count
        self._open: dict[Path, OpenVoice] = {}
        self._devices: dict[bool, SpeakDevice] = {}
        self._lock = threading.Lock()
        self._selecting = threading.Lock()

    @contextmanager
    def use(self, listed: ListedVoice) -> Iterator[OpenVoice]:
        """The voice, loaded, and kept until the block ends.

        Raises:
            LoadingError: it cannot be loaded. The next use tries again.
        """
        opened = self._enter(listed)
        try:
            self._load(opened)
            yield opened
        finally:
            with self._lock:
                opened.users -= 1
                opened.last_used = time.monotonic()
                orphaned = not opened.users and self._open.get(listed.path) is not opened
            if orphaned:
                opened.close()
            self.tidy()

    def is_loaded(self, listed: ListedVoice) -> bool:
        """Whether the voice could speak at once."""
        with self._lock:
            opened = self._open.get(listed.path)
        return opened is not None and opened.voice.is_loaded

    def tidy(self) -> None:
        """Close voices that were not used for long and, if memory is short, those used least recently."""
        with self._lock:
            unused = sorted((one for one in self._open.values() if not one.users), key=lambda one: one.last_used)
            too_old = time.monotonic() - self._idle_seconds
            surplus = sum(one.mib for one in self._open.values()) - self._memory_mib
            closing = []
            for one in unused:
                if surplus > 0 or one.last_used < too_old:
                    closing.append(self._open.pop(one.listed.path))
                    surplus -= one.mib
        self._close(closing)

    def close(self) -> None:
        """Close all voices."""
        with self._lock:
            closing = list(self._open.values())
            self._open.clear()
        self._close(closing)

    def _enter(self, listed: ListedVoice) -> OpenVoice:
        device = self._device_of(listed)
        status = listed.path.stat()
        replaced = None
        with self._lock:
            opened = self._open.get(listed.path)
            if opened is not None and opened.version != status.st_mtime_ns:  # another voice under the same name
                replaced, opened = self._open.pop(listed.path), None
            if opened is None:
                mib = status.st_size * _MEMORY_PER_BYTE / _MIB
                warn = partial(self._on_device_failure, listed.path)
                voice = open_voice(listed.path, self._threads, device=device, warn=warn, many=True)
                opened = OpenVoice(listed=listed, voice=voice, version=status.st_mtime_ns, mib=mib)
                self._open[listed.path] = opened
            opened.users += 1
        if replaced is not None and not replaced.users:
            replaced.close()
        return opened

    def _load(self, opened: OpenVoice) -> None:
        try:
            _ = opened.voice.engine
        except Exception as error:
            with self._lock:
                if self._open.get(opened.listed.path) is opened:
                    del self._open[opened.listed.path]
            problem = error.problem if isinstance(error, VoxmatrixError) else repr(error)
            raise LoadingError(f"the voice {opened.listed.id} cannot be loaded: {problem}") from error
        with self._lock:
            count = len(self._open)
        self._on_count(count)

    def _device_of(self, listed: ListedVoice) -> SpeakDevice:
        """The device for voices of this kind, which is looked for once."""
        is_onnx = listed.path.suffix == ".onnx"
        with self._selecting:
            if is_onnx not in self._devices:
                selection = select_devices(listed.path, self._device)
                for finding in selection.findings:
                    self._warn(finding)
                self._devices[is_onnx] = selection.best
            return self._devices[is_onnx]

    def _on_device_failure(self, path: Path, finding: Finding) -> None:
        """A device that fails while the voice loads was never in use; one that fails later is lost."""
        opened = self._open.get(path)
        if opened is not None and opened.voice.is_loaded:
            self.lost_device = finding
        self._warn(finding)

    def _close(self, voices: list[OpenVoice]) -> None:
        for one in voices:
            one.close()
        with self._lock:
            count = len(self._open)
        self._on_count(count)
