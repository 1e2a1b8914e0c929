"""Definitions of the benchmarks: their figures, and how these are shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: Figures by key; None if the device does not provide the value.
Figures = Mapping[str, float | None]


@dataclass(frozen=True, kw_only=True)
class BenchPart:
    """One measurement on one device, in one precision."""

    name: str  # the precision: fp32, tf32, bf16, fp16
    measure: Callable[[], Figures]


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of the table."""

    key: str
    header: str
    format: str  # a Python format specification


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """What a benchmark measures, and the columns of its table."""

    name: str
    speed: str  # key of the figure by which devices are compared; higher is better
    unit: str  # of the speed
    columns: tuple[Column, ...]


MATMUL = Benchmark(
    name="matmul",
    speed="gflops",
    unit="GFLOP/s",
    columns=(
        Column(key="median_ms", header="median ms", format=".3f"),
        Column(key="spread_ms", header="spread ms", format=".3f"),
        Column(key="gflops", header="GFLOP/s", format=",.1f"),
    ),
)
SPEAK = Benchmark(
    name="speak",
    speed="times_realtime",
    unit="seconds of speech per second",
    columns=(
        Column(key="realtime_factor", header="real-time factor", format=".4f"),
        Column(key="spread", header="spread", format=".4f"),
        Column(key="times_realtime", header="× real time", format=".1f"),
    ),
)
TRAIN = Benchmark(
    name="train",
    speed="clips_per_second",
    unit="clips per second",
    columns=(
        Column(key="batch_size", header="batch", format=".0f"),
        Column(key="steps_per_second", header="steps/s", format=".3f"),
        Column(key="clips_per_second", header="clips/s", format=".2f"),
        Column(key="peak_mib", header="peak MiB", format=".0f"),
    ),
)
