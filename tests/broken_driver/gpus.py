"""GPUs as a driver that works describes them, by the stub library: which images can use each, and what is said.

The answers are those of NVIDIA's tables and of MIG's and CUDA_VISIBLE_DEVICES' rules, written before they were asked.
"""

from dataclasses import dataclass, field

from tests.broken_driver.states import LIBRARIES

_OLD = ("cuda", "cuda126")
_UUID = "00000000-0000-0000-0000-00000000000"  # of the stub, but for its last digit
NO_KERNELS, NO_DEVICE = 5, 4


@dataclass(frozen=True, kw_only=True)
class GpuState:
    """One GPU: what the stub answers, and what `doctor` must find."""

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    listed: int = 1  # GPUs, or slices
    code: int = 0  # with which `doctor` ends in an image that has kernels for it
    without: tuple[str, ...] = ()  # the images without
    said: str = ""  # also of images with kernels
    libraries: tuple[str, ...] = LIBRARIES

    def code_in(self, image: str) -> int:
        """The exit code in an image for GPUs."""
        return NO_KERNELS if image in self.without else self.code


def _capability(number: str, *without: str, said: str = "") -> GpuState:
    environment = {"NVML_CAPABILITY": number}
    return GpuState(name=f"capability {number}", environment=environment, without=without, said=said)


def _visible(name: str, value: str, **more: str) -> GpuState:
    environment = {"CUDA_VISIBLE_DEVICES": value, **more}
    return GpuState(name=name, environment=environment, said='"hidden_gpus": 0')


def _hidden(name: str, value: str, **more: str) -> GpuState:
    environment = {"CUDA_VISIBLE_DEVICES": value, **more}
    return GpuState(name=name, environment=environment, listed=0, code=NO_DEVICE, said="hidden by CUDA_VISIBLE_DEVICES")


GPUS = (
    _capability("6.1", "blackwell", "cuda13"),
    _capability("7.0", "cuda13"),
    _capability("10.3", *_OLD),
    _capability("11.0", *_OLD, "blackwell", "cuda13", said="no image has kernels for this GPU"),  # of aarch64 only
    _capability("12.1", *_OLD),
    _capability("13.0", *_OLD, "blackwell", "cuda13", said="this GPU is newer than any image"),
    GpuState(
        name="driver 470",
        environment={"NVML_DRIVER": "470.256.02"},
        code=NO_DEVICE,
        said="the driver is 470.256.02",
    ),
    GpuState(name="no GPU", environment={"NVML_COUNT": "0"}, listed=0, code=NO_DEVICE, said="runs, but lists no GPU"),
    GpuState(name="lost", environment={"NVML_HANDLE": "15"}, listed=0, code=NO_DEVICE, said="fallen off the bus"),
    GpuState(name="refused", environment={"NVML_HANDLE": "17"}, listed=0, code=NO_DEVICE, said="refuses access"),
    GpuState(name="memory unknown", environment={"NVML_MEMORY": "999"}),
    GpuState(name="MIG without slices", environment={"NVML_MIG": "0"}, said='"mig": true'),
    GpuState(name="MIG", environment={"NVML_MIG": "2"}, listed=2, said="H100 80GB HBM3 MIG 1g.10gb"),
    _visible("its UUID", f"GPU-{_UUID}1"),
    _hidden("another UUID", f"GPU-{_UUID}9"),
    _hidden("no UUID", ""),
    _hidden("a slice that is gone", f"MIG-{_UUID}9", NVML_MIG="2"),
    GpuState(
        name="the UUID of a slice",
        environment={"CUDA_VISIBLE_DEVICES": f"MIG-{_UUID}2", "NVML_MIG": "2"},
        said='"hidden_gpus": 1',
    ),
)
