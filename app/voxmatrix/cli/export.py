"""`voxmatrix export voice` and `voxmatrix export audio`."""

from pathlib import Path
from typing import Annotated

import typer

from voxmatrix.cli.command import CommandGroup
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json

group = CommandGroup(help="Export a voice as ONNX, or convert audio to another format.")


@group.command("voice")
def voice(
    checkpoint: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="Checkpoint, or folder of a training run.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="NAME.onnx; NAME.onnx.json is written next to it.")
    ],
    noise: Annotated[float | None, typer.Option("--noise", metavar="X", help="Default variation of the sound.")] = None,
    noise_w: Annotated[
        float | None, typer.Option("--noise-w", metavar="X", help="Default variation of the rhythm.")
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Export a checkpoint as a Piper voice (ONNX and JSON), verified against torch."""
    from voxmatrix.piper.export.export import export_voice
    from voxmatrix.voices.resolve import check_trainable

    check_trainable(checkpoint, "be exported")
    exported = export_voice(checkpoint, out, noise=noise, noise_w=noise_w, force=force)
    if as_json:
        print_json({"onnx": str(exported.onnx), "json": str(exported.config), "max_difference": exported.difference})
    else:
        echo(f"{exported.onnx} and {exported.config}: same speech as torch within {exported.difference:.1e}")


@group.command("audio")
def audio(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Audio file in a format of soundfile or ffmpeg.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Output file; the extension selects the format.")],
    bitrate: options.Bitrate = "",
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Convert audio to mp3, ogg, opus, m4a, flac or wav."""
    from voxmatrix.audio.encode import encode

    encode(source, out, bitrate=bitrate or None, force=force)
    if as_json:
        print_json({"out": str(out), "bytes": out.stat().st_size})
    else:
        echo(f"{out}: {out.stat().st_size / 1024:.0f} KiB")
