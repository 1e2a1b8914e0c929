"""Options that several commands share. Each is a flag, VOXMATRIX_… in the environment, and a key of voxmatrix.toml."""

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
Language = Annotated[str, option("--language", "Language of the recordings: en-us, sv-SE, de …")]
PhonemeType = Annotated[str, option("--phonemes", "espeak (needs espeak-ng), text (letters as they are), or auto.")]
Profile = Annotated[str, option("--profile", "Who speaks, with --prompt-list: recordings lie in DATA/PROFILE/LIST.")]
PromptList = Annotated[str, option("--prompt-list", "Which list was read, with --profile.")]
MaxSeconds = Annotated[float, option("--max-seconds", "Recordings longer than this are left out.", min=0)]
Workers = Annotated[int, option("--workers", "Processes that read recordings; 0 decides.", min=0)]
Device = Annotated[str, option("--device", "cpu, cuda:0, directml:0 … or auto.")]
GpuNumber = Annotated[str, option("--gpu", "Number of the GPU, as `voxmatrix devices` counts them.")]
UseGpu = Annotated[
    bool | None, typer.Option("--use-gpu/--no-use-gpu", help="A GPU if there is one, else a warning and the CPU.")
]
Speaker = Annotated[str, option("--speaker", "Name or number of the speaker, for a voice with several.")]
Force = Annotated[bool, option("--force", "Replace files that are there already.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for programs.")]
