"""Computers with GPUs to speak on, and devices of them."""

from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild
from voxmatrix.models.device import FoundGpu, SpeakDevice

OLD = Gpu(index=0, kind="cuda", name="GTX 750", uuid="GPU-old", capability=Capability(5, 0), memory_mib=2048)
T4 = Gpu(index=1, kind="cuda", name="Tesla T4", uuid="GPU-t4", capability=Capability(7, 5), memory_mib=15360)
RADEON = Gpu(index=0, kind="directml", name="Radeon", memory_mib=8192)
ARC = Gpu(index=0, kind="xpu", name="Arc")
CUDA_TORCH = TorchBuild(version="2.10.0", cuda="12.8", kernels=("sm_70", "sm_75", "sm_80"))
CPU_TORCH = TorchBuild(version="2.13.0")


def computer(*gpus: Gpu, torch: TorchBuild | None = CUDA_TORCH) -> Machine:
    """A computer with these GPUs."""
    return Machine(platform="linux", architecture="x86_64", cpus=4, memory_mib=16384, gpus=gpus, torch=torch)


def on(gpu: Gpu, *, required: bool = False) -> SpeakDevice:
    """The device that is this GPU."""
    return SpeakDevice(on=FoundGpu(gpu=gpu, machine=computer(OLD, T4, RADEON)), required=required)
