"""The voices in memory: opened when they are first used, the least recently used ones closed first."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from voxmatrix.closing import Closeable
from voxmatrix.compute.memory import free_cached
from voxmatrix.errors import BadInputError, DamagedFileError, Finding
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, SpeakDevice, Warn
from voxmatrix.models.style import Runtime
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.preflight import Preflight
from voxmatrix.voices.device_selection import select_devices
from voxmatrix.voices.in_memory import FileVersion, VoiceInMemory, device_name, file_version
from voxmatrix.voices.memory import Opened, VoiceMemory
from voxmatrix.voices.resolve import open_voice

#: Called before a voice is opened on a device.
OnOpen = Callable[[VoiceCard, SpeakDevice], None]


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
        memory: VoiceMemory | None = None,
    ) -> None:
        """`memory_mib` limits what `memory` measures. `warn` is called when a device fails, `on_count` whenever the
        number of voices changes.
        """
        self.lost_device: Finding | None = None
        self.fallback: Finding | None = None  # why the CPU speaks instead of a GPU
        self._request = request
        self._runtime = runtime
        self._memory_mib = memory_mib
        self._memory = memory or VoiceMemory()
        self._idle_seconds = idle_seconds
        self._warn = warn
        self._preflight = preflight
        self._on_open = on_open
        self._on_count = on_count
        self._open: dict[VoiceFile, VoiceInMemory] = {}
        self._failed: dict[VoiceFile, FileVersion] = {}
        self._devices: dict[object, SpeakDevice] = {}
        self._kinds: set[object] = set()  # of which a voice has been loaded
        self._lock = threading.RLock()
        self._selecting = threading.Lock()
        self._closing = threading.Lock()

    @contextmanager
    def use(self, card: VoiceCard) -> Iterator[VoiceInMemory]:
        """The voice, loaded, and kept until the block ends.

        Raises:
            VoxmatrixError: it cannot be loaded. The next use tries again.
        """
        with self._noting_failure(card), self._counting_libraries(card):
            opened = self._enter(card)
            try:
                self._load(opened)
            except BaseException:
                self._leave(opened)
                raise
        try:
            yield opened
        finally:
            self._leave(opened)

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
            too_old = time.monotonic() - self._idle_seconds
            unused = [one for one in self._open.values() if not one.users and one.last_used < too_old]
            closing = [self._open.pop(_file(one.card)) for one in unused]
        del unused
        if closing:
            self._close(closing)
        self._make_room(0.0, others=1)

    def _make_room(self, mib: float, others: int = 0) -> None:
        """Close the voices used least recently until this much more fits into the limit; so many stay in any case."""
        with self._closing:
            if not self._is_short(mib, others):
                return
            free_cached(None)  # what sentences have left behind may be enough
            while self._is_short(mib, others):
                with self._lock:
                    unused = [one for one in self._open.values() if not one.users]
                    if not unused or len(self._open) <= others:
                        return
                    oldest = min(unused, key=lambda one: one.last_used)
                    closing = [self._open.pop(_file(oldest.card))]
                del unused, oldest
                self._close(closing)

    def _is_short(self, mib: float, others: int) -> bool:
        """Whether so much more exceeds the limit, and a voice could be closed for it."""
        with self._lock:
            opened: list[Opened] = [(one.voice, one.device) for one in self._open.values()]
            if len(opened) <= others or all(one.users for one in self._open.values()):
                return False
        return self._memory.used_mib(opened) + mib > self._memory_mib

    def unload(self, matches: Callable[[VoiceCard], bool]) -> tuple[list[str], list[str]]:
        """Close the open voices that match: the ids of those that are closed now, and of those that still speak.

        The latter are closed when they have ended. Whoever uses such a voice from now on opens it again.
        """
        with self._lock:
            chosen = [one for one in self._open.values() if matches(one.card)]
            closed, closing = ([one.card.id for one in chosen if bool(one.users) == used] for used in (False, True))
            self._open = {file: one for file, one in self._open.items() if one not in chosen}
            unused = [one for one in chosen if not one.users]
        chosen.clear()  # what is closed is freed before its memory is returned
        self._close(unused)
        return closed, closing

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
        if file not in self._open:
            self._make_room(card.memory_mib)
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
            self._close([replaced])
        return opened

    def _leave(self, opened: VoiceInMemory) -> None:
        with self._lock:
            opened.users -= 1
            opened.last_used = time.monotonic()
            orphaned = not opened.users and self._open.get(_file(opened.card)) is not opened
        if orphaned:
            self._close([opened])
        self.tidy()

    @contextmanager
    def _counting_libraries(self, card: VoiceCard) -> Iterator[None]:
        """Open a voice. What the first one of its kind loads for all of them does not count as its memory."""
        device, kind = self._device_of(card), _family_kind(card)
        with self._lock:
            is_first = kind not in self._kinds
            self._kinds.add(kind)
        if not is_first:
            yield
            return
        try:
            with self._memory.loading_libraries(card, device):
                yield
        except BaseException:
            with self._lock:
                self._kinds.discard(kind)
            raise

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
        kind = _family_kind(card)
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
        """Close voices that are no longer listed, and return their memory to the system."""
        while voices:
            voices.pop().voice.close()
        free_cached(None)
        with self._lock:
            count = len(self._open)
        self._on_count(count)


#: What distinguishes voices: a file may have several.
VoiceFile = tuple[str, str]


def _file(card: VoiceCard) -> VoiceFile:
    return str(card.path), card.id


def _family_kind(card: VoiceCard) -> object:
    """Voices of the same kind need the same libraries and devices."""
    able = card.capabilities
    return card.family, able.uses_torch, able.on_gpu, able.arithmetic
