"""Is memory about to run out, or the device too hot? Judged from the readings so far, each trouble told once."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from voxmatrix.errors import Finding
from voxmatrix.machine.sensors.reading import Reading
from voxmatrix.plan.trend import seconds_until

#: Of all memory: from here on a somewhat longer batch may fail; below the other, it got better.
FULL, FULL_NO_MORE = 0.92, 0.85
#: Growth below this part of all memory is no trouble yet: a training fills its memory at its start.
GROWTH_FROM = 0.5
#: Growth that fills memory later than this is told later.
HORIZON_SECONDS = 30 * 60
#: Readings that a trend is judged by: two minutes of them.
WINDOW = 60
#: What memory must fall by, as a part of all of it, and the device in degrees, before the same is told again.
_BETTER, _COOLER_C = 0.02, 5.0


@dataclass(frozen=True, kw_only=True)
class MemoryUse:
    """Memory in one reading, where all of it is known."""

    seconds: float
    needed_mib: int
    total_mib: int
    others_mib: int | None

    @property
    def share(self) -> float:
        """Needed of all; more than 1 where it is swapped out."""
        return self.needed_mib / self.total_mib


class PressureMonitor:
    """What was seen and told of one device. `remedy` says what a person can type to need less memory."""

    def __init__(self, remedy: str) -> None:
        self._remedy = remedy
        self._seen: deque[MemoryUse] = deque(maxlen=WINDOW)
        self._full = False
        self._grown_mib: int | None = None  # when growth was told
        self._hot = False

    def assess(self, readings: Sequence[Reading], steps_per_second: float = 0.0) -> list[Finding]:
        """What a person should know now, having seen these new readings as well, oldest first."""
        found: list[Finding] = []
        for reading in readings:
            memory = memory_of(reading)
            if memory is not None:
                self._seen.append(memory)
                found += self._judge_full(memory, reading.device)
            found += self._judge_heat(reading)
        # A trend does not change between two readings that came together.
        return found + (self._judge_growth(readings[-1].device, steps_per_second) if readings and self._seen else [])

    def _judge_full(self, memory: MemoryUse, device: str) -> list[Finding]:
        was, self._full = self._full, memory.share > (FULL_NO_MORE if self._full else FULL)
        if was or not self._full:
            return []
        return [_warning(f"{_place(device)} is nearly full: {_amount(memory)}{_others(memory)}", self._remedy)]

    def _judge_growth(self, device: str, steps_per_second: float) -> list[Finding]:
        newest = self._seen[-1]
        if self._grown_mib is not None and newest.needed_mib < self._grown_mib - _BETTER * newest.total_mib:
            self._grown_mib = None
        if self._grown_mib is not None or self._full or newest.share < GROWTH_FROM:
            return []
        left = seconds_until([(each.seconds, each.needed_mib) for each in self._seen], newest.total_mib)
        if left is None or left > HORIZON_SECONDS:
            return []
        self._grown_mib = newest.needed_mib
        steps = f", some {left * steps_per_second:.0f} steps from now" if steps_per_second > 0 else ""
        when = f"{max(1, round(left / 60))} minutes{steps}"
        return [
            _warning(
                f"{_place(device)} fills up steadily: {_amount(memory=newest)}{_others(newest)}, all of it in {when}",
                self._remedy,
            )
        ]

    def _judge_heat(self, reading: Reading) -> list[Finding]:
        now, limit = reading.temperature_c, reading.throttle_c
        if now is None or limit is None:
            return []
        was, self._hot = self._hot, now >= (limit - _COOLER_C if self._hot else limit)
        if was or not self._hot:
            return []
        problem = f"{reading.device} has {now:.0f} °C and slows itself down from {limit:.0f} °C on"
        return [_warning(problem, _cooling(reading.device))]


def memory_of(reading: Reading) -> MemoryUse | None:
    """None where the need or the total is unknown."""
    needed, total = reading.needed_mib, reading.total_mib
    if needed is None or not total:
        return None
    return MemoryUse(seconds=reading.seconds, needed_mib=needed, total_mib=total, others_mib=reading.others_mib)


def memory_remedy(out: str) -> str:
    """What to do so that the training in `out` need not give way when memory runs out."""
    return (
        "close other programs. When it runs out, a step is computed in smaller parts: slower, the same learning. "
        "Or bound long clips: stop (Ctrl-C saves) and go on in another --out "
        f"with --from {out}/last.ckpt --max-batch-seconds 60"
    )


def _warning(problem: str, remedy: str) -> Finding:
    return Finding(problem=problem, remedy=remedy, severity="warning")


def _place(device: str) -> str:
    return "the memory of this computer" if device == "cpu" else f"the memory of {device}"


def _amount(memory: MemoryUse) -> str:
    return f"{memory.needed_mib / 1024:.1f} of {memory.total_mib / 1024:.1f} GiB are needed"


def _others(memory: MemoryUse) -> str:
    return f", {memory.others_mib / 1024:.1f} of them by other programs" if memory.others_mib else ""


def _cooling(device: str) -> str:
    lower = "" if device == "cpu" else ", or lower its power: nvidia-smi -pl WATTS"
    return f"let more air in and clean the fans{lower}; it does no harm but takes longer"
