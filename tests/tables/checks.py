"""What the rows of the tables must be. The tables come with the program, so it is checked here and not when it runs."""

import re
from typing import get_args

from voxmatrix.tables import rows
from voxmatrix.tables.gpus import Architecture, Floor, Target
from voxmatrix.tables.image import Image
from voxmatrix.tables.quality import qualities
from voxmatrix.tables.training import MemoryRow, MemoryTable, Precision, PrecisionRow


def check_architecture(row: Architecture) -> None:
    where = f"{row.capability[0]}.{row.capability[1]}"
    for name, kind in (("architecture", str), ("source", str), ("bf16", bool), ("tf32", bool), ("flash", bool)):
        if not isinstance(value := getattr(row, name), kind) or value == "":
            raise ValueError(f"{where}: {name} is {value!r}, must be {kind.__name__}")
    if not row.advice or not all(isinstance(line, str) and line for line in (*row.advice, *row.products)):
        raise ValueError(f"{where}: advice and products must be lists of non-empty text")


def check_target(row: Target) -> None:
    if row.form not in ("sm", "compute") or row.suffix not in ("", "a", "f"):
        raise ValueError(f"there is no target {row.form}_XY{row.suffix}")
    if (row.major, row.minor) not in (("same", "same"), ("same", "least"), ("least", "least")):
        raise ValueError(f"{row.form}_XY{row.suffix} cannot reach major {row.major!r}, minor {row.minor!r}")


def check_floor(row: Floor) -> None:
    for text in (row.linux, row.windows):
        rows.known_version(text)


def check_image(row: Image) -> None:
    rows.known_version(row.torch)
    if ("cuda" in row.kinds) != bool(row.cuda and row.oldest_driver and row.kernels and row.from_capability):
        raise ValueError(f"{row.name}: kind cuda needs cuda, kernels, oldest_driver and from_capability")
    if bool(row.build and not row.cuda) != bool(row.targets):
        raise ValueError(f"{row.name}: a build for other GPUs needs kernels")


def check_memory_row(row: MemoryRow) -> None:
    sizes = (row.parameters, row.once_mib, row.segment_mib_16, row.second_mib_16)
    if min(sizes) <= 0 or not row.source:
        raise ValueError("every size must be greater than 0, and a row needs a source")
    if row.segment_mib_16 > row.segment_mib_32 or row.second_mib_16 > row.second_mib_32:
        raise ValueError("16 bits cannot need more memory than 32")
    if not 0 < row.checkpointed < 1:
        raise ValueError(f"checkpointed is {row.checkpointed}, must be between 0 and 1")


def check_memory(table: MemoryTable) -> None:
    if set(table.qualities) != set(qualities()):
        raise ValueError("memory.toml and qualities.toml must have the same qualities")
    if not 0.8 <= table.gpu_share <= 0.85 or not 0 < table.shared_share < table.gpu_share:
        raise ValueError("share.gpu must be from 0.80 to 0.85, and share.shared less than share.gpu")
    if not table.gpu_share <= table.measured_share <= 0.9:
        raise ValueError("share.measured must be from share.gpu to 0.90")
    if table.overhead < 1 or min(table.process_mib, table.least_mib, table.voice_mib, table.onnxruntime_mib) <= 0:
        raise ValueError("overhead.factor must be at least 1, and every size greater than 0")
    for row in table.qualities.values():
        check_memory_row(row)


def check_precision(row: PrecisionRow) -> None:
    if row.precision not in get_args(Precision):
        raise ValueError(f"precision is {row.precision!r}, must be one of {get_args(Precision)}")
    if (row.device == "cuda") != (row.at_least is not None):
        raise ValueError(f"{row.device}: rows for cuda, and only these, need a capability")
    if row.tf32 and row.precision != "bf16":
        raise ValueError("TF32 and bf16 both require capability 8.0")
    if not row.because or not row.source:
        raise ValueError(f"{row.device}: a row needs because and source")
    re.compile(row.name or "")
