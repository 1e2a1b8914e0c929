"""How fast a voice speaks on this computer's CPUs: measured in seconds, once a voice, and kept."""

import json
import time
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from voxmatrix.config import home
from voxmatrix.errors import UnreachableError
from voxmatrix.files import read_text_or_empty, write_text
from voxmatrix.machine.probes.limits import cpus
from voxmatrix.machine.probes.system import read_cpu
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Runtime, Style
from voxmatrix.speak.narration import Narration
from voxmatrix.voices.resolve import open_voice

_WARM_UP = "This one is not measured."
_TEXT = "A voice is measured with sentences of the usual length, such as this one. It takes two of them, no more."
#: CPU seconds that a second of an audiobook takes beside its speech: levelled, encoded, filed. Measured on a novel of
#: 3,796 sentences (23,600 s of speech): 150 CPU seconds.
_FINISHING = 0.0064


@dataclass(frozen=True, kw_only=True)
class VoiceSpeed:
    """Seconds of speech that an audiobook gets in a second, by all CPUs."""

    slow: float  # while they are as busy with other things as when it was measured
    fast: float  # while they do nothing else


def speed_of(voice: VoiceCard) -> VoiceSpeed:
    """The speed of a voice, measured if it was not yet on such a computer.

    Raises:
        As `measured_speed`.
    """
    if kept := kept_speed(voice):
        return kept
    found = measured_speed(voice)
    with suppress(UnreachableError, OSError):  # then it is measured again
        _keep(voice, found)
    return found


def kept_speed(voice: VoiceCard) -> VoiceSpeed | None:
    """What was measured of a voice before; None: nothing, on such a computer and with these files.

    Raises:
        OSError: a file of the voice is missing.
    """
    known = _kept().get(_key(voice))
    try:
        return VoiceSpeed(**{name: float(value) for name, value in known.items()}) if known else None
    except (AttributeError, TypeError, ValueError):  # somebody has changed the file
        return None


def measured_speed(voice: VoiceCard) -> VoiceSpeed:
    """The speed of a voice in a process like those that make a book, times as many of them as there would be.

    Time passes while other programs compute; the CPU time of this process and its children does not.

    Raises:
        BadInputError: it can speak no word of English.
        And as `open_voice`.
    """
    all_cpus = cpus()
    threads = min(all_cpus, voice.capabilities.cpus)
    workers = max(1, all_cpus // voice.capabilities.cpus)
    with closing(open_voice(voice, runtime=Runtime(threads=threads))) as opened:
        list(Narration(opened, _WARM_UP, Style(seed=0)))
        started, computed = time.perf_counter(), _cpu_seconds()
        seconds = sum(piece.sentence.seconds for piece in Narration(opened, _TEXT, Style(seed=0)))
        took, computing = time.perf_counter() - started, (_cpu_seconds() - computed) / threads
    finishing = _FINISHING / all_cpus
    slow = 1 / (took / seconds / workers + finishing)
    fast = 1 / (min(took, max(computing, 1e-6)) / seconds / workers + finishing)
    return VoiceSpeed(slow=slow, fast=fast)


def _cpu_seconds() -> float:
    """What this process and its children have computed: some voices speak in a program of their own."""
    process, total = psutil.Process(), 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.Error):  # it has just ended
            times = one.cpu_times()
            total += times.user + times.system
    return total


def _key(voice: VoiceCard) -> str:
    """The computer, and the file that takes longest to compute: the voices of one network are equally fast."""
    largest = max(voice.files, key=lambda path: path.stat().st_size)
    status = largest.stat()
    computer = f"{read_cpu() or 'cpu'}, {cpus()} CPUs"
    return f"{computer} | {largest.name} {status.st_size} {status.st_mtime_ns} {voice.variant}".strip()


def _kept() -> dict[str, dict[str, float]]:
    try:
        found = json.loads(read_text_or_empty(_path()) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _keep(voice: VoiceCard, speed: VoiceSpeed) -> None:
    known = {name: round(value, 3) for name, value in asdict(speed).items()}
    _path().parent.mkdir(parents=True, exist_ok=True)
    write_text(_path(), json.dumps({**_kept(), _key(voice): known}, indent=1))


def _path() -> Path:
    return home() / "cache" / "voice-speeds.json"
