"""The voices in memory: opened when they are first used, the least recently used ones closed first."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from voxmatrix.closing import Closeable
from voxmatrix.errors import BadInputError, DamagedFileError, Finding
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, SpeakDevice, Warn
from voxmatrix.models.family import OpenVoice
from voxmatrix.models.style import Runtime
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.preflight import Preflight
from voxmatrix.voices.device_selection import select_devices
from voxmatrix.voices.resolve import open_voice

#: Called before a voice is opened on a device.
OnOpen = Callable[[VoiceCard, SpeakDevice], None]
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


class OpenVoices(Closeable):
    """Opens voices on demand, within a limit of memory. Thread-safe."""

    def __init__(
        self,
        request: DeviceRequest,
        runtime: Runtime,
        memory_mib: float,
        idle_seconds: float = float("inf"),
        *,
        warn: Warn,
        preflight: Preflight | None = None,
        on_open: OnOpen = lambda card, device: None,
        on_count: Callable[[int], None] = lambda count: None,
    ) -> None:
        """`warn` is called when a device fails, `on_count` whenever the number of voices changes."""
        self.lost_device: Finding | None = None
        self.fallback: Finding | None = None  # why the CPU speaks instead of a GPU
        self._request = request
        self._runtime = runtime
        self._memory_mib = memory_mib
        self._idle_seconds = idle_seconds
        self._warn = warn
        self._preflight = preflight
        self._on_open = on_open
        self._on_count = on_count
        self._open: dict[VoiceFile, VoiceInMemory] = {}
        self._failed: dict[VoiceFile, FileVersion] = {}
        self._devices: dict[object, SpeakDevice] = {}
        self._lock = threading.RLock()
        self._selecting = threading.Lock()

    @contextmanager
    def use(self, card: VoiceCard) -> Iterator[VoiceInMemory]:
        """The voice, loaded, and kept until the block ends.

        Raises:
            VoxmatrixError: it cannot be loaded. The next use tries again.
        """
        with self._noting_failure(card):
            opened = self._enter(card)
        try:
            with self._noting_failure(card):
                self._load(opened)
            yield opened
        finally:
            with self._lock:
                opened.users -= 1
                opened.last_used = time.monotonic()
                orphaned = not opened.users and self._open.get(_file(card)) is not opened
            if orphaned:
                opened.voice.close()
            self.tidy()

    def has_failed(self, card: VoiceCard) -> bool:
        """Whether the voice could not be loaded when it was used last, and its files are still the same."""
        with self._lock, suppress(OSError):
            return self._failed.get(_file(card)) == file_version(card)
        return True

    @property
    def names(self) -> tuple[str, ...]:
        """The open voices with the kind of their device: NAME_cuda, NAME_cpu."""
        with self._lock:
            return tuple(device_name(one.card, one.device) for one in self._open.values())

    def is_on_gpu(self, name: str) -> bool:
        """Whether the voice of this name is open on a GPU."""
        with self._lock:
            return any(one.card.id == name and one.device.on is not None for one in self._open.values())

    def tidy(self) -> None:
        """Close voices that were not used for long and, if memory is short, those used least recently.

        The last one stays, however large it is: it would have to be loaded for each sentence.
        """
        with self._lock:
            unused = sorted((one for one in self._open.values() if not one.users), key=lambda one: one.last_used)
            too_old = time.monotonic() - self._idle_seconds
            surplus = sum(one.card.memory_mib for one in self._open.values()) - self._memory_mib
            closing = []
            for one in unused:
                if (surplus > 0 and len(self._open) > 1) or one.last_used < too_old:
                    closing.append(self._open.pop(_file(one.card)))
                    surplus -= one.card.memory_mib
        self._close(closing)

    def unload(self, matches: Callable[[VoiceCard], bool]) -> tuple[list[str], list[str]]:
        """Close the open voices that match: the ids of those that are closed now, and of those that still speak.

        The latter are closed when they have ended. Whoever uses such a voice from now on opens it again.
        """
        with self._lock:
            chosen = [one for one in self._open.values() if matches(one.card)]
            for one in chosen:
                del self._open[_file(one.card)]
            unused, busy = ([one for one in chosen if bool(one.users) == used] for used in (False, True))
        self._close(unused)
        return [one.card.id for one in unused], [one.card.id for one in busy]

    def close(self) -> None:
        """Close all voices."""
        with self._lock:
            closing = list(self._open.values())
            self._open.clear()
        self._close(closing)

    def _enter(self, card: VoiceCard) -> VoiceInMemory:
        device = self._device_of(card)
        version = file_version(card)
        file, replaced = _file(card), None
        with self._lock:
            opened = self._open.get(file)
            # None, or another voice under the same name. The card may be older or newer than the files: both count.
            if opened is None or (opened.version, opened.card) != (version, card):
                self._on_open(card, device)
                voice = open_voice(card, device, self._runtime, warn=partial(self._on_device_failure, file))
                replaced, opened = opened, VoiceInMemory(card=card, voice=voice, device=device, version=version)
                self._open[file] = opened
            opened.users += 1
        if replaced is not None and not replaced.users:
            replaced.voice.close()
        return opened

    @contextmanager
    def _noting_failure(self, card: VoiceCard) -> Iterator[None]:
        """Remember the version of a voice whose files are at fault."""
        try:
            yield
        except (BadInputError, DamagedFileError):
            with self._lock, suppress(OSError):
                self._failed[_file(card)] = file_version(card)
            raise

    def _load(self, opened: VoiceInMemory) -> None:
        try:
            opened.voice.load()
        except BaseException:
            with self._lock:
                if self._open.get(_file(opened.card)) is opened:
                    del self._open[_file(opened.card)]
            raise
        with self._lock:
            self._failed.pop(_file(opened.card), None)
            count = len(self._open)
        self._on_count(count)

    def _device_of(self, card: VoiceCard) -> SpeakDevice:
        """The device for voices of this kind, which is looked for once."""
        able = card.capabilities
        kind = card.family, able.uses_torch, able.on_gpu, able.arithmetic
        with self._selecting:
            if kind not in self._devices:
                selection = select_devices(card, self._request, self._preflight)
                for finding in selection.findings:
                    self._warn(finding)
                self._devices[kind] = selection.best
                if selection.best.on is None and selection.findings:
                    self.fallback = selection.findings[0]
            return self._devices[kind]

    def _on_device_failure(self, file: "VoiceFile", finding: Finding) -> None:
        """A device that fails while the voice loads was never in use; one that fails later is lost."""
        with self._lock:
            opened, self.fallback = self._open.get(file), finding
            if opened is not None:
                opened.device = CPU
                if opened.voice.is_loaded:
                    self.lost_device = finding
        self._warn(finding)

    def _close(self, voices: list[VoiceInMemory]) -> None:
        for one in voices:
            one.voice.close()
        with self._lock:
            count = len(self._open)
        self._on_count(count)


#: What distinguishes voices: a file may have several.
VoiceFile = tuple[str, str]


def _file(card: VoiceCard) -> VoiceFile:
    return str(card.path), card.id


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
