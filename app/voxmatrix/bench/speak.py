"""Speaking a few sentences: seconds of computing per second of speech."""

import statistics
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from voxmatrix.bench.benchmarks import BenchPart, Figures
from voxmatrix.bench.timing import median_and_spread
from voxmatrix.machine.facts import Gpu, Machine

if TYPE_CHECKING:
    from voxmatrix.models.family import OpenVoice

#: Spoken by voices of any language: short and long sentences, with numbers and abbreviations to be normalised.
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
    """The settings of the benchmark on one device."""

    benchmark: ClassVar = "speak"
    voice: str  # path of an existing file
    runs: int = 5
    warmup: int = 1

    @property
    def about(self) -> str:
        """The title of the table."""
        name = Path(self.voice).name
        return f"{len(SENTENCES)} English sentences with {name}, {self.runs} runs after {self.warmup} warm-up runs"


def parts(job: SpeakBench, gpu: Gpu | None, machine: Machine) -> list[BenchPart]:
    """A single part: voices compute in float32."""
    return [BenchPart(name="fp32", measure=partial(_measure, job, gpu, machine))]


def _measure(job: SpeakBench, gpu: Gpu | None, machine: Machine) -> Figures:
    from voxmatrix.models.style import Style
    from voxmatrix.speak.narration import Narration

    style = Style()
    factors, lengths = [], []
    with closing(_opened(job.voice, gpu, machine)) as voice:
        for run in range(job.warmup + job.runs):
            start = time.perf_counter()
            seconds = sum(piece.sentence.seconds for piece in Narration(voice, "\n\n".join(SENTENCES), style))
            elapsed = time.perf_counter() - start
            if run >= job.warmup:
                factors.append(elapsed / seconds)  # the length of the speech varies from run to run
                lengths.append(seconds)
    median, spread = median_and_spread(factors)
    return {
        "realtime_factor": median,
        "spread": spread,
        "times_realtime": 1 / median,
        "speech_seconds": statistics.median(lengths),
    }


def _opened(voice: str, gpu: Gpu | None, machine: Machine) -> "OpenVoice":
    """The voice on this device, without a fallback."""
    from voxmatrix.models.device import CPU, FoundGpu, SpeakDevice
    from voxmatrix.voices.resolve import open_voice, resolve

    device = CPU if gpu is None else SpeakDevice(on=FoundGpu(gpu=gpu, machine=machine), required=True)
    return open_voice(resolve(voice), device)
