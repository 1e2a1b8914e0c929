"""The options of `voxmatrix speak`, and what they ask for."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.reconfigure import ReconfigureOption
from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.cli.parameters.synthesis import VoiceOptions

if TYPE_CHECKING:
    from voxmatrix.models.card import VoiceCard
    from voxmatrix.models.style import Output, Style


@dataclass(frozen=True, kw_only=True)
class SpeakOptions(
    VoiceOptions,
    options.QuotationOptions,
    options.ThreadOptions,
    ReconfigureOption,
    options.DeviceOptions,
    options.ClusterOptions,
):
    """The options."""

    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Text to speak.")] = None
    file: Annotated[Path | None, typer.Option("--file", metavar="FILE", help="UTF-8 text file to speak.")] = None
    batch: Annotated[
        Path | None,
        typer.Option(
            "--batch", metavar="PATH", help="Many texts: a folder of .txt, or a .txt, .csv (id|text) or .jsonl."
        ),
    ] = None
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="PATH",
            help="Output file (- streams WAV), or the output folder of --batch.",
            parser=options.path,
        ),
    ] = "speech.wav"
    play: Annotated[bool, typer.Option("--play", help="Let it be heard; a file is only written with --out.")] = False
    format: Annotated[
        str, options.option("--format", "NAME", "Format of the files of a batch: wav, mp3, ogg …", panel="Output")
    ] = "wav"
    raw: Annotated[
        bool, typer.Option("--raw", help="Write 16-bit samples without a header.", rich_help_panel="Output")
    ] = False
    bitrate: options.Bitrate = ""
    captions: Annotated[
        Path | None,
        options.option(
            "--captions", "FILE", "Also captions: .srt, .vtt, .lrc or .json (batch: srt …).", panel="Output"
        ),
    ] = None
    force: options.Force = False
    parallel_voices: options.ParallelVoices = "auto"


@dataclass(frozen=True, kw_only=True)
class SpeakTask:
    """What is to be spoken, and how."""

    options: SpeakOptions
    sources: ParameterSources
    voice: "VoiceCard"
    style: "Style"
    output: "Output"
    extension: str  # of --format
    as_json: bool
