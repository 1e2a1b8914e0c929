"""cuDNN's search, compilation and the allocator: what each gains on this device. Pure."""

from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Capability, Gpu, Machine
from voxmatrix.plan.budget import shares_memory
from voxmatrix.settings import Setting, automatic

EXPANDABLE = "expandable_segments:True"
_COMPILES_FROM = Capability(7, 0)


def choose_cudnn_benchmark(gpu: Gpu | None, forced: Setting[bool] | None) -> Setting[bool]:
    """Off: batches of speech have a new length each time."""
    if forced is not None:
        return forced
    if gpu is None or gpu.kind != "cuda":
        return automatic(False, "cuDNN belongs to CUDA")
    return automatic(False, "batches differ in length, and cuDNN would search again for each of them")


def choose_compile(gpu: Gpu | None, forced: Setting[bool] | None) -> Setting[bool]:
    """Off: lengths differ here too, and the images have no C compiler."""
    if forced is not None:
        return forced
    if gpu is not None and gpu.kind == "cuda" and gpu.capability and gpu.capability < _COMPILES_FROM:
        return automatic(False, f"torch.compile needs capability 7.0, this GPU has {gpu.capability}")
    return automatic(False, "batches differ in length and each would be compiled anew; it needs a C compiler as well")


def choose_allocator(gpu: Gpu | None, machine: Machine) -> Setting[str]:
    """For PYTORCH_CUDA_ALLOC_CONF; empty leaves torch's own ways. A value in the environment must be kept beside it."""
    if gpu is None or gpu.kind != "cuda":
        return automatic("", "it is CUDA's allocator")
    if machine.wsl:
        return automatic("", "expandable segments can fail under WSL2 (pytorch #192330)")
    if machine.platform != "linux":
        return automatic("", f"expandable segments do nothing on {machine.platform}")
    if shares_memory(gpu):
        return automatic("", "this GPU shares the computer's memory, where expandable segments can end the process")
    return automatic(
        EXPANDABLE, "lengths differ, and segments that grow lose less between them (Linux, a GPU of its own)"
    )


def compile_findings(gpu: Gpu | None, forced: Setting[bool]) -> list[Finding]:
    """A forced compilation on a GPU that cannot have it."""
    if not forced.value or gpu is None or gpu.kind != "cuda" or gpu.capability is None:
        return []
    if gpu.capability >= _COMPILES_FROM:
        return []
    problem = f"torch.compile needs capability 7.0 and this GPU has {gpu.capability}: it will fail"
    return [Finding(problem=problem, remedy="set --compile off", severity="warning")]
