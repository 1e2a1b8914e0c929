"""Detection of this computer: probes run in parallel, each with a time limit."""

import importlib
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from voxmatrix.config import IMAGE_VARIABLE, MACHINE_VARIABLE
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine, Platform, TorchBuild, clean_text
from voxmatrix.machine.probes import directx, drm, limits, nvidia_smi, nvml, system, tegra, torch_build
from voxmatrix.machine.probes.nvidia import NvidiaCard, visible_gpus
from voxmatrix.machine.probes.probe import Probe

TIMEOUT_SECONDS = 10.0
_MIB = 1024 * 1024
_NVIDIA_REMEDY = "check whether nvidia-smi works; after a driver update, restart the computer"
#: The device of the NVIDIA driver through which GPUs are managed.
_NVIDIA_CONTROL = Path("dev") / "nvidiactl"


class NvidiaCards(NamedTuple):
    """The cards in the computer or, if the driver is here and fails, its error, e.g. "nvml 18"."""

    cards: tuple[NvidiaCard, ...] = ()
    error: str | None = None


class Detection(NamedTuple):
    """The computer, with a note for each fact that could not be read."""

    machine: Machine
    notes: tuple[Finding, ...]


def detect(
    root: Path = Path("/"), environment: Mapping[str, str] | None = None, timeout_seconds: float = TIMEOUT_SECONDS
) -> Detection:
    """This computer, or the one described by the file in VOXMATRIX_MACHINE, to replay a report from elsewhere.

    In an image, the image and its torch are those of this process, whatever the description says. A fact that cannot
    be read in time is unknown, and a note says why.

    Raises:
        BadInputError: the file in VOXMATRIX_MACHINE cannot be read.
    """
    environment = os.environ if environment is None else environment
    if described := environment.get(MACHINE_VARIABLE):
        return _described(Path(described), root, environment)
    platform, wsl = system.read_platform(), system.read_wsl(root)
    nvidia = Probe[NvidiaCards]("NVIDIA GPUs", lambda: read_nvidia(root), NvidiaCards(), remedy=_NVIDIA_REMEDY)
    adapters = Probe[tuple[Gpu, ...]]("other GPUs", lambda: _adapters(root, platform, wsl), ())
    folder = torch_build.find_torch()
    build = torch_build.read_torch_build(folder)
    kernels = Probe[tuple[str, ...]]("torch's kernels", lambda: _kernels(root, folder, build), ())
    memories = Probe("memory", lambda: limits.read_memory(root), limits.SystemMemory())
    bounds = Probe("the limits of this process", lambda: limits.read_limits(root), None)

    (cards, driver_error), no_cards = nvidia.answer(timeout_seconds)
    visible_devices = environment.get("CUDA_VISIBLE_DEVICES")
    visible = visible_gpus(cards, visible_devices)
    hidden = len(visible_gpus(cards, None)) - len(visible)
    others, no_others = adapters.answer(timeout_seconds)
    mem, no_mem = memories.answer(timeout_seconds)
    bound, no_bound = bounds.answer(timeout_seconds)
    names, no_names = kernels.answer(max(timeout_seconds, torch_build.TIMEOUT_SECONDS))
    shm = None if bound is None else bound.shm_free_bytes
    machine = Machine(
        platform=platform,
        architecture=system.read_architecture(),
        wsl=wsl,
        container=system.read_container(root),
        cpu=system.read_cpu(root),
        cpu_bf16=system.read_cpu_bf16(root),
        cpus=1 if bound is None else bound.cpus,
        memory_mib=mem.total_mib,
        available_mib=mem.available_mib,
        shm_mib=None if shm is None else shm // _MIB,
        gpus=_together(visible, others, wsl),
        driver_error=driver_error,
        hidden_gpus=hidden,
        visible_devices=clean_text(visible_devices or "") if hidden else None,
        torch=None if build is None else replace(build, kernels=names),
        flash_attention=torch_build.read_flash_attention(),
        image=clean_text(environment.get(IMAGE_VARIABLE, "")),
    )
    return Detection(machine, no_cards + no_others + no_mem + no_bound + no_names)


def _described(path: Path, root: Path, environment: Mapping[str, str]) -> Detection:
    from voxmatrix.machine.record import read_machine

    machine = read_machine(path)
    if image := clean_text(environment.get(IMAGE_VARIABLE, "")):
        folder = torch_build.find_torch()
        build = torch_build.read_torch_build(folder)
        torch = None if build is None else replace(build, kernels=_kernels(root, folder, build))
        machine = replace(machine, image=image, container=True, torch=torch)
    problem = f"the computer is read from {path} ({MACHINE_VARIABLE}); this computer is not examined"
    note = Finding(problem=problem, remedy=f"unset {MACHINE_VARIABLE} to examine this computer", severity="warning")
    return Detection(machine, (note,))


def read_nvidia(root: Path = Path("/")) -> NvidiaCards:
    """NVIDIA cards as NVML reports them (without its bindings: nvidia-smi), or else the GPU of a Jetson board."""
    try:
        bindings = importlib.import_module("pynvml")
    except ImportError:
        return NvidiaCards(nvidia_smi.read_cards() or tegra.read_cards(root))
    try:
        cards = nvml.read_cards(bindings)
        found = NvidiaCards(cards, None if cards else "nvml none")
    except bindings.NVMLError_LibraryNotFound as error:
        if bindings.nvmlLib is not None:  # the library is here, and says that another part of the driver is not
            found = NvidiaCards(error=f"nvml {error.value}")
        else:  # no driver: no NVIDIA GPU, which is not an error
            found = NvidiaCards(error="nvml missing" if (root / _NVIDIA_CONTROL).exists() else None)
    except bindings.NVMLError as error:
        found = NvidiaCards(error=f"nvml {error.value}")
    boards = () if found.cards else tegra.read_cards(root)
    return NvidiaCards(boards) if boards else found


def _adapters(root: Path, platform: Platform, wsl: bool) -> tuple[Gpu, ...]:
    if platform == "windows":
        return directx.read_adapters()
    if platform == "macos":
        return system.read_apple_gpu()
    return drm.read_adapters(root) or (directx.read_wsl_adapter(root) if wsl else ())


def _kernels(root: Path, folder: Path | None, build: TorchBuild | None) -> tuple[str, ...]:
    return () if folder is None or build is None else torch_build.read_kernels(root, folder, build)


def _together(cuda: tuple[Gpu, ...], others: tuple[Gpu, ...], wsl: bool) -> tuple[Gpu, ...]:
    """CUDA GPUs first. In WSL2 the unnamed DirectX adapter is the same card, so it is dropped."""
    return cuda if wsl and cuda else cuda + others
