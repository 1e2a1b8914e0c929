"""Warnings when memory is nearly full or the device is too hot, each reported once."""

from collections.abc import Sequence

from voxmatrix.errors import Finding
from voxmatrix.machine.sensors.reading import Reading

#: Shares of the memory: above FULL a slightly longer batch may fail; below RECOVERED the warning is armed again.
FULL, RECOVERED = 0.92, 0.85
#: A device must cool down by this much before it is reported again.
_COOLER_C = 5.0


class PressureMonitor:
    """Tracks what was reported about one device. `remedy` says how to need less memory."""

    def __init__(self, remedy: str) -> None:
        self._remedy = remedy
        self._full = False
        self._hot = False

    def assess(self, readings: Sequence[Reading]) -> list[Finding]:
        """Warnings for new readings, oldest first."""
        found: list[Finding] = []
        for reading in readings:
            found += self._assess_memory(reading)
            found += self._assess_heat(reading)
        return found

    def _assess_memory(self, reading: Reading) -> list[Finding]:
        needed, total = reading.needed_mib, reading.total_mib
        if needed is None or not total:
            return []
        was_full, self._full = self._full, needed / total > (RECOVERED if self._full else FULL)
        if was_full or not self._full:
            return []
        owner = "this computer" if reading.device == "cpu" else reading.device
        amount = f"{needed / 1024:.1f} of {total / 1024:.1f} GiB are in use"
        others = f", {reading.others_mib / 1024:.1f} of them by other programs" if reading.others_mib else ""
        return [_warning(f"the memory of {owner} is nearly full: {amount}{others}", self._remedy)]

    def _assess_heat(self, reading: Reading) -> list[Finding]:
        now, limit = reading.temperature_c, reading.throttle_c
        if now is None or limit is None:
            return []
        was_hot, self._hot = self._hot, now >= (limit - _COOLER_C if self._hot else limit)
        if was_hot or not self._hot:
            return []
        problem = f"{reading.device} is at {now:.0f} °C and throttles from {limit:.0f} °C"
        return [_warning(problem, _cooling(reading.device))]


def memory_remedy(out: str) -> str:
    """The remedy for nearly full memory, for the training in `out`."""
    return (
        "close other programs. If memory runs out, a step is computed in smaller parts: slower, with the same result. "
        "Or limit the audio per batch: stop (Ctrl-C saves) and continue in another `out` "
        f"with `from={out}/last.ckpt` `max_batch_seconds=60`"
    )


def _warning(problem: str, remedy: str) -> Finding:
    return Finding(problem=problem, remedy=remedy, severity="warning")


def _cooling(device: str) -> str:
    power = "" if device == "cpu" else ", or lower its power limit: nvidia-smi -pl WATTS"
    return f"improve the airflow and clean the fans{power}; throttling is harmless but slow"
