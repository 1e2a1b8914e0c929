"""Is memory about to run out, or the device too hot? Each trouble is told once."""

from collections.abc import Sequence

from voxmatrix.errors import Finding
from voxmatrix.machine.sensors.reading import Reading

#: Of all memory: from here on a somewhat longer batch may fail; below the other, it got better.
FULL, FULL_NO_MORE = 0.92, 0.85
#: What a device must cool down by before its heat is told again.
_COOLER_C = 5.0


class PressureMonitor:
    """What was told of one device. `remedy` says what a person can type to need less memory."""

    def __init__(self, remedy: str) -> None:
        self._remedy = remedy
        self._full = False
        self._hot = False

    def assess(self, readings: Sequence[Reading]) -> list[Finding]:
        """What a person should know of these new readings, oldest first."""
        found: list[Finding] = []
        for reading in readings:
            found += self._judge_memory(reading)
            found += self._judge_heat(reading)
        return found

    def _judge_memory(self, reading: Reading) -> list[Finding]:
        needed, total = reading.needed_mib, reading.total_mib
        if needed is None or not total:
            return []
        was, self._full = self._full, needed / total > (FULL_NO_MORE if self._full else FULL)
        if was or not self._full:
            return []
        whose = "of this computer" if reading.device == "cpu" else f"of {reading.device}"
        amount = f"{needed / 1024:.1f} of {total / 1024:.1f} GiB are needed"
        others = f", {reading.others_mib / 1024:.1f} of them by other programs" if reading.others_mib else ""
        return [_warning(f"the memory {whose} is nearly full: {amount}{others}", self._remedy)]

    def _judge_heat(self, reading: Reading) -> list[Finding]:
        now, limit = reading.temperature_c, reading.throttle_c
        if now is None or limit is None:
            return []
        was, self._hot = self._hot, now >= (limit - _COOLER_C if self._hot else limit)
        if was or not self._hot:
            return []
        problem = f"{reading.device} has {now:.0f} °C and slows itself down from {limit:.0f} °C on"
        return [_warning(problem, _cooling(reading.device))]


def memory_remedy(out: str) -> str:
    """What to do so that the training in `out` need not give way when memory runs out."""
    return (
        "close other programs. When it runs out, a step is computed in smaller parts: slower, the same learning. "
        "Or bound long clips: stop (Ctrl-C saves) and go on in another --out "
        f"with --from {out}/last.ckpt --max-batch-seconds 60"
    )


def _warning(problem: str, remedy: str) -> Finding:
    return Finding(problem=problem, remedy=remedy, severity="warning")


def _cooling(device: str) -> str:
    lower = "" if device == "cpu" else ", or lower its power: nvidia-smi -pl WATTS"
    return f"let more air in and clean the fans{lower}; it does no harm but takes longer"
