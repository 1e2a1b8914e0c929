"""Open the planned devices in torch, and set environment variables and number formats."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from voxmatrix.compute.device import prepare_environment, set_tf32, torch_device
from voxmatrix.errors import NoDeviceError, UsageError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.device_selection import unsupported
from voxmatrix.plan.plan import Plan
from voxmatrix.plan.verdict import assess
from voxmatrix.tables.training import Precision
from voxmatrix.train.step.step import Networks

_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


def open_devices(plan: Plan, machine: Machine) -> list[torch.device]:
    """The device of each process of a plan. Also sets torch's options, which apply to the whole process.

    Raises:
        NoDeviceError: torch does not see a GPU of the machine, or there are fewer than requested.
        UsageError: the device does not support the precision, or CUDA graphs.
    """
    if plan.precision.value == "fp16" and plan.device.value == "cpu":
        raise UsageError("`precision=fp16` is only for GPUs: a CPU gains nothing", "set `precision=fp32` or bf16")
    if plan.graphs.value and not plan.device.value.startswith("cuda"):
        raise UsageError("`graphs=on` is only for GPUs from NVIDIA", "set `graphs=auto`")
    prepare_environment(plan.allocator.value)
    set_tf32(plan.tf32.value)
    torch.backends.cudnn.benchmark = plan.cudnn_benchmark.value
    return [torch_device(gpu, machine) for gpu in planned_gpus(plan, machine)]


def planned_gpus(plan: Plan, machine: Machine) -> list[Gpu | None]:
    """The GPU of each process; None is the CPU, which several processes may share.

    Raises:
        NoDeviceError: there are fewer GPUs than requested, or they cannot be used together.
    """
    count = plan.devices.value
    first = next((gpu for gpu in machine.gpus if gpu.device == plan.device.value), None)
    if first is None:
        return [None] * count
    if count > 1 and first.kind == "xpu":
        raise NoDeviceError(
            f"`devices` is {count}, but Intel GPUs cannot train a voice together: Lightning does not support them",
            "set `devices=1`",
        )
    others = [gpu for gpu in machine.gpus if gpu.kind == first.kind and gpu != first]
    usable = [gpu for gpu in others if unsupported(gpu, machine, assess, "train") is None]
    usable.sort(key=lambda gpu: gpu.capability != first.capability)  # the slowest sets the pace: prefer similar ones
    if len(usable) + 1 < count:
        raise NoDeviceError(
            f"`devices` is {count}, but only {len(usable) + 1} GPUs here can train a voice",
            "run voxmatrix devices to see which; in a container, add --gpus all",
        )
    return [first, *usable[: count - 1]]


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager[Any]:
    """A new autocast context for this precision; for fp32, a context without effect."""
    dtype = _AUTOCAST.get(precision)
    return nullcontext() if dtype is None else torch.autocast(device.type, dtype)


def compile_networks(networks: Networks) -> None:
    """Apply torch.compile to the networks that run with fixed shapes: the decoder and the discriminators."""
    networks.generator.dec.compile()
    for discriminator in networks.discriminator.discriminators:  # a step calls each of them, not the network of all
        discriminator.compile()
