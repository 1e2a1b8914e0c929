"""The states in which an NVIDIA driver can be while no GPU can be used, and stub libraries that are in them."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

_SOURCES = {"libnvidia-ml.so.1": "nvml.c", "libcuda.so.1": "cuda.c"}
LIBRARIES = tuple(_SOURCES)


@dataclass(frozen=True, kw_only=True)
class DriverState:
    """One state: what the stub libraries answer, and what must be said."""

    name: str
    libraries: tuple[str, ...] = LIBRARIES
    environment: dict[str, str] = field(default_factory=dict)
    problem: str
    remedy: str
    code: int = 4  # with which a training ends in an image for GPUs

    @property
    def is_listed(self) -> bool:
        """Whether NVML lists the GPU, so that only CUDA says that it cannot be used."""
        return self.environment.get("NVIDIA_STUB") == "0" and "CUDA_VISIBLE_DEVICES" not in self.environment


def _nvml(code: int, problem: str, remedy: str) -> DriverState:
    environment = {"NVIDIA_STUB": str(code)}
    return DriverState(name=f"nvml {code}", environment=environment, problem=problem, remedy=remedy)


def _cuda(code: int, problem: str, remedy: str) -> DriverState:
    environment = {"NVIDIA_STUB": "0", "CUDA_STUB": str(code)}
    return DriverState(name=f"cuda {code}", environment=environment, problem=problem, remedy=remedy)


STATES = (
    _nvml(4, "may not use the NVIDIA GPUs (NVML error 4)", "--gpus all"),
    _nvml(8, "power cables", "plug every power connector"),
    _nvml(9, "driver is not loaded (NVML error 9)", "driver 580"),  # without it, a GTX 10 and driver 590 go in circles
    _nvml(12, "another part of the driver that it needs is not", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"),
    _nvml(15, "is lost", "restart the host"),
    _nvml(16, "waits for a reset", "--gpu-reset"),
    _nvml(17, "refuses access", "--gpus all"),
    _nvml(18, "different versions", "restart the host"),
    _nvml(20, "too little memory of the computer", "--memory"),
    _nvml(999, "systemctl daemon-reload", "create the container again"),
    replace(_cuda(2, "memory of the GPU", "nvidia-smi"), code=6),
    _cuda(3, "nvidia_uvm is not loaded", "modprobe nvidia_uvm"),
    _cuda(34, "the stub for compiling", "LD_LIBRARY_PATH"),
    _cuda(46, "a vGPU without a licence", "--compute-mode=0"),
    _cuda(100, "CUDA finds none", "create the container again"),
    _cuda(102, "no licence", "nvidia-gridd"),
    _cuda(214, "errors that it cannot correct", "nvidia-smi -q -d ECC"),
    _cuda(304, "refuses a call of the driver", "--gpus all"),
    _cuda(802, "NVLink switches", "nvidia-fabricmanager"),
    _cuda(803, "libcuda.so.1 and the loaded driver have different versions", "compat folder"),
    _cuda(804, "forward compatibility", "compat folder"),
    _cuda(805, "MPS server", "CUDA_MPS_PIPE_DIRECTORY"),
    _cuda(808, "MPS server", "end one of them"),
    _cuda(999, "unknown reason", "rmmod nvidia_uvm"),
    DriverState(
        name="no libcuda",
        libraries=("libnvidia-ml.so.1",),
        environment={"NVIDIA_STUB": "0"},
        problem="libcuda.so.1 is not here",
        remedy="NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    ),
    DriverState(
        name="hidden",
        environment={"NVIDIA_STUB": "0", "CUDA_VISIBLE_DEVICES": "5"},
        problem="1 NVIDIA GPU hidden by CUDA_VISIBLE_DEVICES=5",
        remedy="unset CUDA_VISIBLE_DEVICES",
    ),
)


def compile_stubs(folder: Path) -> dict[str, Path]:
    """The stub libraries by name, each in a folder of its own, which anybody can read."""
    compiled = {}
    for library, source in _SOURCES.items():
        place = folder / library.partition(".")[0]
        place.mkdir(mode=0o755)
        command = ["cc", "-w", "-shared", "-fPIC", "-o", str(place / library), str(Path(__file__).with_name(source))]
        subprocess.run(command, check=True)
        (place / library).chmod(0o755)
        compiled[library] = place
    folder.chmod(0o755)
    return compiled


def search_path(compiled: dict[str, Path], libraries: Sequence[str]) -> str:
    """LD_LIBRARY_PATH for what is found in a state."""
    return os.pathsep.join(str(compiled[library]) for library in libraries)
