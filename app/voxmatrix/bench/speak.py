"""Speaking a few sentences: seconds of computing for each second of speech."""

import statistics
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from voxmatrix.bench.benchmarks import BenchPart, Figures
from voxmatrix.bench.timing import median_and_spread
from voxmatrix.errors import BadInputError
from voxmatrix.machine.facts import Gpu, Machine

if TYPE_CHECKING:
    from voxmatrix.speak.voice import Voice

#: Read by every voice of every language: short and long, with what has to be written out first.
SENTENCES = (
    "The parcel came on Tuesday morning.",
    "Dr. Lindqvist paid $45.20 for 3 tickets, and the train left at 7:15.",
    "When the fog lifted from the harbour, we could see the two old ferries, the lighthouse, and far behind them the "
    "islands where nobody has lived for a hundred years.",
    "Are you sure?",
    "It was the smallest bridge in the whole valley, yet every cart that went to market had to cross it.",
)


@dataclass(frozen=True, kw_only=True)
class SpeakBench:
    """What is measured on one device."""

    benchmark: ClassVar = "speak"
    voice: str  # a file that is there
    runs: int = 5
    warmup: int = 1

    @property
    def about(self) -> str:
        """As the table is headed."""
        name = Path(self.voice).name
        return f"{len(SENTENCES)} English sentences with {name}, {self.runs} runs after {self.warmup} to warm up"


def parts(job: SpeakBench, gpu: Gpu | None, machine: Machine) -> list[BenchPart]:
    """One: voices compute in float32."""
    return [BenchPart(name="fp32", measure=partial(_measure, job, gpu, machine))]


def _measure(job: SpeakBench, gpu: Gpu | None, machine: Machine) -> Figures:
    from voxmatrix.speak.options import SpeakSettings
    from voxmatrix.speak.synthesize import front_end, synthesize

    settings = SpeakSettings()
    factors, lengths = [], []
    with _opened(Path(job.voice), gpu, machine) as voice, front_end(voice, settings) as front:
        for run in range(job.warmup + job.runs):
            began = time.perf_counter()
            seconds = sum(spoken.seconds for spoken in synthesize(voice, front, SENTENCES, settings))
            taken = time.perf_counter() - began
            if not seconds:
                raise BadInputError(f"the voice {voice.path} says nothing of English sentences", "choose another voice")
            if run >= job.warmup:
                factors.append(taken / seconds)  # a voice is not equally long each time
                lengths.append(seconds)
    median, spread = median_and_spread(factors)
    return {
        "realtime_factor": median,
        "spread": spread,
        "times_realtime": 1 / median,
        "speech_seconds": statistics.median(lengths),
    }


def _opened(path: Path, gpu: Gpu | None, machine: Machine) -> "Voice":
    """The voice on this device, and on no other in its place."""
    from voxmatrix.speak.device import CPU, FoundGpu, SpeakDevice
    from voxmatrix.speak.voice import open_voice

    return open_voice(
        path, device=CPU if gpu is None else SpeakDevice(on=FoundGpu(gpu=gpu, machine=machine), required=True)
    )
