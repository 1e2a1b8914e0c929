"""The planned devices, made ready in torch: CUDA's variables, number formats, Fabric."""

from collections.abc import Sequence

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies.ddp import DDPStrategy

from voxmatrix.compute.device import prepare_environment, torch_device
from voxmatrix.errors import NoDeviceError, UsageError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.device_support import unsupported
from voxmatrix.plan.plan import Plan
from voxmatrix.plan.verdict import assess
from voxmatrix.tables.precision import Precision
from voxmatrix.train.step.step import Networks

_FABRIC_PRECISION = {"fp32": "32-true", "bf16": "bf16-mixed", "fp16": "16-mixed"}
#: Gradients meet on the devices; whether to stop is asked on the CPU, so that no device is waited for.
_GROUPS = {"cpu": "gloo", "cuda": "cpu:gloo,cuda:nccl"}


def open_devices(plan: Plan, machine: Machine) -> tuple[Fabric, torch.device]:
    """Fabric over the devices of a plan, not launched yet, and the one of this process, with torch's switches set.

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
    gpus = planned_gpus(plan, machine)
    fabric = make_fabric([torch_device(gpu, machine) for gpu in gpus], plan.precision.value)
    return fabric, fabric.device


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


def make_fabric(devices: Sequence[torch.device], precision: Precision) -> Fabric:
    """Fabric for these devices, one process each. It says what is computed in which format."""
    kind = devices[0].type
    alone = len(devices) == 1
    strategy = "auto" if alone else DDPStrategy(process_group_backend=_GROUPS[kind])
    places = len(devices) if kind == "cpu" else [device.index or 0 for device in devices]
    return Fabric(accelerator=kind, strategy=strategy, devices=places, precision=_FABRIC_PRECISION[precision])  # type: ignore[arg-type]


def compile_networks(networks: Networks) -> None:
    """Let torch.compile make kernels of what runs in fixed shapes: the generator's segments and who judges them."""
    networks.generator.dec.compile()
    networks.discriminator.compile()
