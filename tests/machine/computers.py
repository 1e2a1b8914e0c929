"""Computers that hypothesis makes up: every field of the facts, each value one that can be true."""

from hypothesis import strategies as st

from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild

#: What str.isprintable() calls so.
_PRINTABLE = st.characters(exclude_categories=["C", "Z"], include_characters=" ")
_TEXT = st.text(_PRINTABLE, min_size=1, max_size=40)
_MEBIBYTES = st.none() | st.integers(0, 2**40 - 1)
_CAPABILITIES = st.builds(Capability, st.integers(0, 999), st.integers(0, 9))
_KERNELS = st.from_regex(r"(sm|compute)_[0-9]{2,4}[af]?", fullmatch=True)


def _gpu(index: int) -> st.SearchStrategy[Gpu]:
    return st.builds(
        Gpu,
        index=st.just(index),
        kind=st.sampled_from(["cuda", "directml", "xpu", "rocm", "mps"]),
        name=st.none() | _TEXT,
        uuid=st.none() | _TEXT,
        capability=st.none() | _CAPABILITIES,
        memory_mib=_MEBIBYTES,
        free_mib=_MEBIBYTES,
        driver=st.none() | _TEXT,
        unified=st.booleans(),
        mig=st.booleans(),
    )


_TORCH = st.builds(TorchBuild, version=_TEXT, cuda=st.none() | _TEXT, kernels=st.lists(_KERNELS, max_size=9).map(tuple))


def machines() -> st.SearchStrategy[Machine]:
    """Any computer."""
    return st.builds(
        Machine,
        platform=st.sampled_from(["linux", "windows", "macos"]),
        architecture=st.none() | _TEXT,
        wsl=st.booleans(),
        container=st.booleans(),
        cpu=st.none() | _TEXT,
        cpus=st.integers(1, 2**20 - 1),
        memory_mib=_MEBIBYTES,
        available_mib=_MEBIBYTES,
        shm_mib=_MEBIBYTES,
        gpus=st.integers(0, 4).flatmap(lambda count: st.tuples(*map(_gpu, range(count)))),
        torch=st.none() | _TORCH,
        flash_attention=st.none() | _TEXT,
        image=st.none() | _TEXT,
    )
