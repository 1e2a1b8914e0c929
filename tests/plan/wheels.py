"""The torch wheels that verdicts are tried with; their kernels as they were measured on the wheels themselves."""

from voxmatrix.machine.facts import TorchBuild


def _torch(version: str, cuda: str, kernels: str) -> TorchBuild:
    return TorchBuild(version=version, cuda=cuda, kernels=tuple(kernels.split()))


WHEELS = {
    "a": _torch("2.6.0+cu124", "12.4", "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"),
    "b": _torch("2.10.0+cu128", "12.8", "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"),
    "c": _torch("2.15.0+cu132", "13.2", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"),
    # What c has on aarch64; from torch's own table of releases, not measured.
    "c-arm": _torch("2.15.0+cu132", "13.2", "sm_80 sm_90 sm_100 sm_110 sm_120"),
}
