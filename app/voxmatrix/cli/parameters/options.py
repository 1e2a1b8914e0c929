"""Options that several commands share. Each is a flag, VOXMATRIX_… in the environment, and a key of voxmatrix.toml.

Those that belong together are fields of a dataclass, which `expand` turns into the options of a command.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer


def option(flag: str, help: str, *more_flags: str, **rules: Any) -> Any:
    """A Typer option that the environment can set as well: `--batch-size` is VOXMATRIX_BATCH_SIZE."""
    variable = "VOXMATRIX_" + flag.removeprefix("--").replace("-", "_").upper()
    return typer.Option(flag, *more_flags, envvar=variable, help=help, show_envvar=False, **rules)


Data = Annotated[
    Path, typer.Argument(help="The folder of recordings (metadata.csv, NAME.wav + NAME.txt, or JSON lines).")
]
QualityName = Annotated[
    str, option("--quality", "Size of the voice: tiny, x_low, low, medium or high.", "--model-size")
]
LanguageTag = Annotated[str, option("--language", "Language of the recordings: en-us, sv-SE, de …")]
PhonemeType = Annotated[str, option("--phonemes", "espeak (needs espeak-ng), text (letters as they are), or auto.")]
ProfileName = Annotated[
    str, option("--profile", "Who speaks, with --prompt-list: recordings lie in DATA/PROFILE/LIST.")
]
PromptList = Annotated[str, option("--prompt-list", "Which list was read, with --profile.")]
MaxSeconds = Annotated[float, option("--max-seconds", "Recordings longer than this are left out.", min=0)]
ReadingWorkers = Annotated[int, option("--workers", "Processes that read recordings; 0 decides.", min=0)]
Device = Annotated[str, option("--device", "cpu, cuda:0, directml:0 … or auto.")]
GpuNumber = Annotated[str, option("--gpu", "Number of the GPU, as `voxmatrix devices` counts them.")]
UseGpu = Annotated[
    bool | None, typer.Option("--use-gpu/--no-use-gpu", help="A GPU if there is one, else a warning and the CPU.")
]
PrecisionName = Annotated[str, option("--precision", "fp32, bf16, fp16 or auto.")]
Tf32 = Annotated[str, option("--tf32", "on, off or auto.")]
CudnnBenchmark = Annotated[str, option("--cudnn-benchmark", "on, off or auto.")]
Devices = Annotated[str, option("--devices", "GPUs (or processes on the CPU) that train one voice together.")]
BatchSize = Annotated[str, option("--batch-size", "Recordings a batch; 0 or auto decides.")]
Accumulation = Annotated[str, option("--accumulation", "Batches a step; 0 or auto decides.")]
GradientCheckpointing = Annotated[
    str, option("--gradient-checkpointing", "Compute twice what would need memory: on, off or auto.")
]
Compile = Annotated[str, option("--compile", "torch.compile: on, off or auto.")]
LoadingWorkers = Annotated[str, option("--workers", "Processes that load batches, or none; 0 or auto decides.")]
PrepareWorkers = Annotated[str, option("--prepare-workers", "Processes that check recordings; 0 or auto decides.")]
ParallelVoices = Annotated[str, option("--parallel-voices", "Voices that speak side by side; 0 or auto decides.")]
Speaker = Annotated[str, option("--speaker", "Name or number of the speaker, for a voice with several.")]
Force = Annotated[bool, option("--force", "Replace files that are there already.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for programs.")]

_AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class RecordingOptions:
    """Which recordings are used, and how their texts are read."""

    quality: QualityName = "medium"
    language: LanguageTag = "en-us"
    phonemes: PhonemeType = "espeak"
    profile: ProfileName = ""
    prompt_list: PromptList = ""
    max_seconds: MaxSeconds = 20.0


@dataclass(frozen=True, kw_only=True)
class DeviceOptions:
    """Where it is computed."""

    device: Device = _AUTO
    gpu: GpuNumber = ""
    use_gpu: UseGpu = None


@dataclass(frozen=True, kw_only=True)
class PlanOptions(DeviceOptions):
    """What the plan decides unless it is set."""

    devices: Devices = _AUTO
    precision: PrecisionName = _AUTO
    tf32: Tf32 = _AUTO
    cudnn_benchmark: CudnnBenchmark = _AUTO
    batch_size: BatchSize = _AUTO
    accumulation: Accumulation = _AUTO
    gradient_checkpointing: GradientCheckpointing = _AUTO
    compile: Compile = _AUTO
    workers: LoadingWorkers = _AUTO
    prepare_workers: PrepareWorkers = _AUTO
