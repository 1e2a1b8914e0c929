"""cuDNN benchmark mode, torch.compile, CUDA graphs and the CUDA allocator. Pure."""

from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Capability, Gpu, Machine
from voxmatrix.plan.budget import shares_memory
from voxmatrix.settings import Setting, automatic

EXPANDABLE = "expandable_segments:True"
#: What the graphs of a training take: 1,426 MiB were measured with medium, bf16 and batches of 32 on an H200.
GRAPHS_MIB = 1500
_COMPILES_FROM = Capability(7, 0)


def choose_cudnn_benchmark(gpu: Gpu | None, forced: Setting[bool] | None) -> Setting[bool]:
    """Off: batches of speech vary in length."""
    if forced is not None:
        return forced
    if gpu is None or gpu.kind != "cuda":
        return automatic(False, "cuDNN requires CUDA")
    return automatic(False, "batches vary in length, and cuDNN would benchmark every length")


def choose_compile(gpu: Gpu | None, forced: Setting[bool] | None) -> Setting[bool]:
    """Off: batches vary in length, and the images have no C compiler."""
    if forced is not None:
        return forced
    if gpu is not None and gpu.kind == "cuda" and gpu.capability and gpu.capability < _COMPILES_FROM:
        return automatic(False, f"torch.compile needs capability 7.0, this GPU has {gpu.capability}")
    return automatic(False, "batches vary in length, and every length would be compiled; it also needs a C compiler")


def choose_graphs(
    gpu: Gpu | None, compiled: Setting[bool], checkpointing: Setting[bool], forced: Setting[bool] | None
) -> Setting[bool]:
    """On for GPUs from NVIDIA, where a step takes less time than the CPU needs to start its kernels one by one."""
    if forced is not None:
        return forced
    if gpu is None or gpu.kind != "cuda":
        return automatic(False, "CUDA graphs require CUDA")
    if compiled.value:
        return automatic(False, "`compile` is on")
    if checkpointing.value:
        return automatic(False, "gradient checkpointing reads the state of the random numbers, which a graph cannot")
    more = f"they take up to {GRAPHS_MIB:,} MiB more, and are released if memory runs out"
    return automatic(True, f"one launch starts all kernels of a batch, which are many and small; {more}")


def choose_allocator(gpu: Gpu | None, machine: Machine) -> Setting[str]:
    """The value for PYTORCH_CUDA_ALLOC_CONF, to be merged with one in the environment; empty keeps torch's default."""
    if gpu is None or gpu.kind != "cuda":
        return automatic("", "the option is for CUDA only")
    if machine.wsl:
        return automatic("", "expandable segments can fail under WSL2 (pytorch #192330)")
    if machine.platform != "linux":
        return automatic("", f"expandable segments have no effect on {machine.platform}")
    if shares_memory(gpu):
        return automatic("", "this GPU shares the computer's memory, where expandable segments can crash the process")
    return automatic(
        EXPANDABLE, "batches vary in length, and expandable segments reduce fragmentation (Linux, dedicated GPU memory)"
    )


def compile_findings(gpu: Gpu | None, forced: Setting[bool]) -> list[Finding]:
    """A warning if compilation is forced on a GPU that does not support it."""
    if not forced.value or gpu is None or gpu.kind != "cuda" or gpu.capability is None:
        return []
    if gpu.capability >= _COMPILES_FROM:
        return []
    problem = f"torch.compile needs capability 7.0 and this GPU has {gpu.capability}: it will fail"
    return [Finding(problem=problem, remedy="set `compile=off`", severity="warning")]
