"""Options that several commands share. Each can also be set by a VOXMATRIX_… variable or a key of voxmatrix.toml.

Options that belong together are fields of a dataclass, which `expand` turns into the options of a command.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from voxmatrix.cli.parameters.completion import voice_names

#: The headings of a help text. Options without one are listed first, under "Options".
Panel = Literal["Recordings", "Voice", "Training", "Checkpoints", "Device", "Cluster", "Output", "Server", "Limits"]


def option(
    flag: str, metavar: str | None, help: str, *more_flags: str, panel: Panel | None = None, **rules: Any
) -> Any:
    """A Typer option that the environment can set as well: `--batch-size` is VOXMATRIX_BATCH_SIZE.

    At 80 columns, help texts cut the names of options whose `metavar` is long.
    """
    variable = "VOXMATRIX_" + flag.removeprefix("--").replace("-", "_").upper()
    rules |= {"envvar": variable, "show_envvar": False, "rich_help_panel": panel}
    if rules.get("parser") is voice:
        rules["autocompletion"] = voice_names
    return typer.Option(flag, *more_flags, metavar=metavar, help=help, **rules)


def automatic(flag: str, metavar: str, help: str, panel: Panel | None = None, **rules: Any) -> Any:
    """An option whose help says what its default does, 0 or `auto`."""
    return option(flag, metavar, help, panel=panel, show_default=False, **rules)


def path(value: str) -> str:
    """The parser of an option that is a path, and text otherwise: `-`, a URL. Its name is that of the type.

    A name of a file may have any bytes, also those that are not UTF-8; it must not be empty.
    """
    return value


def voice(value: str) -> str:
    """The parser of an option that is the name of a voice, or a path; empty is the default voice."""
    return value


Data = Annotated[
    Path,
    typer.Argument(metavar="DATA", help="Folder of recordings (metadata.csv, NAME.wav + NAME.txt …), or a table."),
]
QualityName = Annotated[
    str,
    option("--quality", "NAME", "tiny, x_low, low, fast_x_low, fast, medium or high.", "--model-size", panel="Voice"),
]
LanguageTag = Annotated[str, option("--language", "TAG", "Language, e.g. en-us, sv-SE or de.", panel="Voice")]
PhonemeType = Annotated[
    str, option("--phonemes", "TYPE", "espeak (requires espeak-ng), text (plain characters) or auto.", panel="Voice")
]
ProfileName = Annotated[str, option("--profile", "NAME", "Use the recordings in DATA/NAME.", panel="Recordings")]
PromptList = Annotated[
    str, option("--prompt-list", "NAME", "Use those in DATA/PROFILE/NAME; requires --profile.", panel="Recordings")
]
MaxSeconds = Annotated[
    float,
    automatic("--max-seconds", "SECONDS", "Leave out longer recordings (0: those over 20 s).", "Recordings", min=0),
]
ReadingWorkers = Annotated[
    int, automatic("--workers", "N", "Processes that check recordings (0: one per CPU).", "Recordings", min=0)
]
Device = Annotated[str, automatic("--device", "NAME", "cpu, cuda:0, directml:0 … (auto: the best one).", "Device")]
GpuNumber = Annotated[str, option("--gpu", "N", "GPU number, as listed by `voxmatrix devices`.", panel="Device")]
UseGpu = Annotated[
    bool | None,
    typer.Option(
        "--use-gpu/--no-use-gpu", help="Use a GPU if there is one, else warn and use the CPU.", rich_help_panel="Device"
    ),
]
PrecisionName = Annotated[
    str, automatic("--precision", "NAME", "fp32, bf16 or fp16 (auto: what suits the device).", "Device")
]
Tf32 = Annotated[str, automatic("--tf32", "on|off", "TF32 for float32 operations (auto: if supported).", "Device")]
CudnnBenchmark = Annotated[
    str, automatic("--cudnn-benchmark", "on|off", "cuDNN's search for algorithms (auto: off).", "Device")
]
Devices = Annotated[
    str, automatic("--devices", "N", "GPUs, or CPU processes, that train together (auto: 1).", "Device")
]
BatchSize = Annotated[
    str, automatic("--batch-size", "N", "Recordings per batch (0 or auto: as many as fit).", "Training")
]
Accumulation = Annotated[
    str, automatic("--accumulation", "N", "Batches per step (0 or auto: 32 recordings in all).", "Training")
]
GradientCheckpointing = Annotated[
    str,
    automatic("--gradient-checkpointing", "on|off", "Recompute to save memory (auto: if memory is short).", "Training"),
]
Compile = Annotated[str, automatic("--compile", "on|off", "torch.compile (auto: off).", "Device")]
Graphs = Annotated[
    str, automatic("--graphs", "on|off", "Start steps as CUDA graphs (auto: on for NVIDIA's GPUs).", "Device")
]
LoadingWorkers = Annotated[
    str, automatic("--workers", "N", "Processes that load batches, or none (0 or auto: up to 4).", "Device")
]
PrepareWorkers = Annotated[
    str, automatic("--prepare-workers", "N", "Processes that check recordings (0 or auto: one per CPU).", "Device")
]
ParallelVoices = Annotated[
    str, automatic("--parallel-voices", "N", "Voices that speak at once (0 or auto: as many as fit).", "Device")
]
Threads = Annotated[int, automatic("--threads", "N", "CPU threads (0: all available).", "Device", min=0)]
VoicePath = Annotated[
    str,
    option("--voice", "PATH", "Name (see `voices list`), NAME.onnx, checkpoint or run.", panel="Voice", parser=voice),
]
Speaker = Annotated[str, option("--speaker", "NAME", "Name or number of the speaker.", panel="Voice")]
SentencePause = Annotated[float, option("--sentence-pause", "SECONDS", "Pause between sentences.", panel="Voice")]
Volume = Annotated[float, option("--volume", "X", "Loudness; 0.5 is half the amplitude.", panel="Voice")]
LexiconFile = Annotated[
    Path | None,
    # Help texts are markup of rich: the backslash keeps the brackets.
    option("--lexicon", "FILE", r"Pronunciations: word|respelling or word|[\[phonemes]], or a .pls.", panel="Voice"),
]
Bitrate = Annotated[str, option("--bitrate", "RATE", "Bit rate of lossy formats, e.g. 96k.", panel="Output")]
Force = Annotated[bool, option("--force", None, "Overwrite existing files.")]
ForceAmount = Annotated[
    bool, typer.Option("--force", help="Accept less than a minute of speech.", rich_help_panel="Recordings")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; the last line is the result.")]

ClusterUrl = Annotated[
    str,
    option("--cluster", "URL", "Broker, e.g. redis://HOST:6379/0 (also REDIS_URL, COORDINATOR_IP).", panel="Cluster"),
]
StoreUrl = Annotated[
    str,
    automatic(
        "--store",
        "URL",
        "Where audio and voices travel: a folder, s3://… (default: the broker).",
        "Cluster",
        parser=path,
    ),
]
ResultsUrl = Annotated[str, automatic("--results", "URL", "Result backend of Celery (default: the broker).", "Cluster")]

_AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class ListeningOptions:
    """What is listened for in recordings."""

    ears: Annotated[
        bool,
        typer.Option(
            "--ears/--no-ears",
            help="Measure noise, hum, echo, pauses … of each recording, or read them faster.",
            rich_help_panel="Recordings",
        ),
    ] = True
    judge: Annotated[
        str,
        option(
            "--judge",
            "MODEL",
            "Hear the words of each recording, with faster-whisper: base, a folder …",
            panel="Recordings",
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class RecordingOptions(ListeningOptions):
    """Which recordings are used, and how their texts become phonemes."""

    quality: QualityName = "medium"
    language: LanguageTag = "en-us"
    phonemes: PhonemeType = "espeak"
    profile: ProfileName = ""
    prompt_list: PromptList = ""
    max_seconds: MaxSeconds = 0.0
    force: ForceAmount = False


@dataclass(frozen=True, kw_only=True)
class DialogueOptions:
    """A voice for what persons say in a text."""

    dialogue_voice: Annotated[
        str,
        option(
            "--dialogue-voice",
            "NAME",
            "Voice of speech, in quotation marks or behind dashes.",
            panel="Voice",
            autocompletion=voice_names,
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class QuotationOptions(DialogueOptions):
    """Voices for parts of a text that are marked, as novels and chats mark them."""

    emphasis_voice: Annotated[
        str,
        option("--emphasis-voice", "NAME", "Voice of text in *asterisks*.", panel="Voice", autocompletion=voice_names),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class ThreadOptions:
    """How many threads compute."""

    threads: Threads = 0


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """The cluster, and how data travels in it."""

    cluster: ClusterUrl = ""
    store: StoreUrl = ""
    results: ResultsUrl = ""


@dataclass(frozen=True, kw_only=True)
class DeviceOptions:
    """The device to compute on."""

    device: Device = _AUTO
    gpu: GpuNumber = ""
    use_gpu: UseGpu = None


@dataclass(frozen=True, kw_only=True)
class PlanOptions(DeviceOptions):
    """Settings that the plan chooses unless they are given."""

    devices: Devices = _AUTO
    precision: PrecisionName = _AUTO
    tf32: Tf32 = _AUTO
    cudnn_benchmark: CudnnBenchmark = _AUTO
    batch_size: BatchSize = _AUTO
    accumulation: Accumulation = _AUTO
    gradient_checkpointing: GradientCheckpointing = _AUTO
    compile: Compile = _AUTO
    graphs: Graphs = _AUTO
    workers: LoadingWorkers = _AUTO
    prepare_workers: PrepareWorkers = _AUTO
