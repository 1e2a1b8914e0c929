"""The planned device, made ready in torch: CUDA's variables, number formats, Fabric."""

import torch
from lightning.fabric import Fabric

from app.compute.device import prepare_environment, torch_device
from app.errors import UsageError
from app.machine.facts import Gpu, Machine
from app.plan.plan import Plan
from app.tables.precision import Precision

_FABRIC_PRECISION = {"fp32": "32-true", "bf16": "bf16-mixed", "fp16": "16-mixed"}


def open_device(plan: Plan, machine: Machine) -> torch.device:
    """The device of a plan, with torch's switches set as planned. They belong to the process, as CUDA itself does.

    Raises:
        NoDeviceError: torch does not see the GPU that the facts name.
        UsageError: the precision is not for this device.
    """
    if plan.precision.value == "fp16" and plan.device.value == "cpu":
        raise UsageError("--precision fp16 is for GPUs: no CPU gains from it", "set --precision fp32 or bf16")
    prepare_environment(plan.allocator.value)
    device = torch_device(planned_gpu(plan, machine), machine)
    # The older switches, torch.backends.*.allow_tf32, contradict this one when both are set (pytorch #152008).
    torch.set_float32_matmul_precision("high" if plan.tf32.value else "highest")
    torch.backends.cudnn.benchmark = plan.cudnn_benchmark.value
    return device


def planned_gpu(plan: Plan, machine: Machine) -> Gpu | None:
    """The GPU of the plan's device; None is the CPU."""
    return next((gpu for gpu in machine.gpus if gpu.device == plan.device.value), None)


def make_fabric(device: torch.device, precision: Precision) -> Fabric:
    """Fabric for one device: it says what is computed in which format."""
    devices = 1 if device.type == "cpu" else [device.index or 0]
    return Fabric(accelerator=device.type, devices=devices, precision=_FABRIC_PRECISION[precision])  # type: ignore[arg-type]
