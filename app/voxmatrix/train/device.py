"""The planned devices, made ready in torch: CUDA's variables and number formats."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from voxmatrix.compute.device import prepare_environment, torch_device
from voxmatrix.errors import NoDeviceError, UsageError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.device_support import unsupported
from voxmatrix.plan.plan import Plan
from voxmatrix.plan.verdict import assess
from voxmatrix.tables.precision import Precision
from voxmatrix.train.step.step import Networks

_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


def open_devices(plan: Plan, machine: Machine) -> list[torch.device]:
    """The device of each process of a plan, with torch's switches set.

    The switches belong to the process, as CUDA itself does.

    Raises:
        NoDeviceError: torch does not see a GPU that the facts name, or there are fewer than were asked for.
        UsageError: the precision is not for this device.
    """
    if plan.precision.value == "fp16" and plan.device.value == "cpu":
        raise UsageError("--precision fp16 is for GPUs: no CPU gains from it", "set --precision fp32 or bf16")
    prepare_environment(plan.allocator.value)
    # The older switches, torch.backends.*.allow_tf32, contradict this one when both are set (pytorch #152008).
    torch.set_float32_matmul_precision("high" if plan.tf32.value else "highest")
    torch.backends.cudnn.benchmark = plan.cudnn_benchmark.value
    return [torch_device(gpu, machine) for gpu in planned_gpus(plan, machine)]


def planned_gpus(plan: Plan, machine: Machine) -> list[Gpu | None]:
    """The device of each process; None is the CPU, which several may share.

    Raises:
        NoDeviceError: there are fewer GPUs than were asked for.
    """
    count = plan.devices.value
    first = next((gpu for gpu in machine.gpus if gpu.device == plan.device.value), None)
    if first is None:
        return [None] * count
    alike = [gpu for gpu in machine.gpus if gpu.kind == first.kind and gpu != first]
    fit = [gpu for gpu in alike if unsupported(gpu, machine, assess, "train") is None]
    fit.sort(key=lambda gpu: gpu.capability != first.capability)  # the slowest one sets the pace: like ones first
    if len(fit) + 1 < count:
        raise NoDeviceError(
            f"--devices is {count}, and {len(fit) + 1} GPUs here can train a voice",
            "see which: voxmatrix devices; in a container add --gpus all",
        )
    return [first, *fit[: count - 1]]


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager[Any]:
    """A fresh context in which operations compute in this precision."""
    dtype = _AUTOCAST.get(precision)
    return nullcontext() if dtype is None else torch.autocast(device.type, dtype)


def compile_networks(networks: Networks) -> None:
    """Let torch.compile make kernels of what runs in fixed shapes: the generator's segments and who judges them."""
    networks.generator.dec.compile()
    networks.discriminator.compile()
