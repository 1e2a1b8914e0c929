"""Measurements as `train --tune` leaves them, and hypothesis' own."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from voxmatrix.machine.facts import Capability, Gpu, Machine
from voxmatrix.machine.profile import BatchFigures, Measurement, Profile, ProfiledCpu, ProfiledGpu, merge

RTX_3060 = ProfiledGpu(name="NVIDIA GeForce RTX 3060", capability=Capability(8, 6), memory_mib=12288)


def measurement(
    base_mib: float = 1000.0, clip_mib: float = 100.0, sizes: tuple[int, ...] = (1, 2, 4), **more: Any
) -> Measurement:
    """`medium` in fp32 with clips of 10 s, each of `clip_mib`, unless told otherwise."""
    measured = tuple(
        BatchFigures(batch_size=size, peak_mib=base_mib + clip_mib * size, step_seconds=0.1 * size) for size in sizes
    )
    facts: dict[str, Any] = {
        "quality": "medium",
        "precision": "fp32",
        "gradient_checkpointing": False,
        "seconds": 10.0,
        "largest_batch": max(sizes, default=0),
        "torch": "2.13.0+cu130",
        "voxmatrix": "0.1.0",
        "date": "2026-11-21",
        **more,
    }
    return Measurement(sizes=measured, **facts)


#: What str.isprintable() calls so.
_PRINTABLE = st.characters(exclude_categories=["C", "Z"], include_characters=" ")
_TEXT = st.text(_PRINTABLE, min_size=1, max_size=40)
_AMOUNTS = st.floats(1e-6, 2**39)
_SIZES = st.lists(
    st.builds(BatchFigures, batch_size=st.integers(1, 512), peak_mib=_AMOUNTS, step_seconds=_AMOUNTS),
    max_size=5,
    unique_by=lambda size: size.batch_size,
).map(lambda sizes: tuple(sorted(sizes, key=lambda size: size.batch_size)))
_MEASUREMENTS = st.builds(
    Measurement,
    quality=st.sampled_from(["tiny", "medium", "high"]),
    precision=st.sampled_from(["fp32", "bf16", "fp16"]),
    gradient_checkpointing=st.booleans(),
    seconds=st.floats(0.01, 3600),
    sizes=_SIZES,
    largest_batch=st.just(0),
    torch=_TEXT,
    voxmatrix=_TEXT,
    date=st.dates().map(lambda date: date.isoformat()),
).map(lambda each: replace(each, largest_batch=each.sizes[-1].batch_size if each.sizes else 0))
_GPUS = st.builds(
    ProfiledGpu,
    name=st.none() | _TEXT,
    capability=st.none() | st.builds(Capability, st.integers(0, 999), st.integers(0, 9)),
    memory_mib=st.none() | st.integers(0, 2**40 - 1),
)
_CPUS = st.builds(ProfiledCpu, name=st.none() | _TEXT, cpus=st.integers(1, 2**20 - 1))


def profiles() -> st.SearchStrategy[Profile]:
    """Any profile, its measurements in the order in which they are kept."""
    return st.builds(
        lambda device, measured: merge(Profile(device=device), measured).profile,
        _GPUS | _CPUS,
        st.lists(_MEASUREMENTS, max_size=4),
    )


def computer(**more: Any) -> tuple[Gpu, Machine]:
    """A computer with that GPU, all of its memory free."""
    facts: dict[str, Any] = {"free_mib": RTX_3060.memory_mib, **more}
    gpu = Gpu(index=0, kind="cuda", name=RTX_3060.name, capability=RTX_3060.capability, memory_mib=12288, **facts)
    return gpu, Machine(platform="linux", cpus=8, memory_mib=65536, available_mib=60000, shm_mib=8192, gpus=(gpu,))
