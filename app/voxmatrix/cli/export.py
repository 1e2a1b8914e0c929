"""`voxmatrix export voice` and `voxmatrix export audio`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from voxmatrix.cli.parameters import options

group = typer.Typer(help="Turn a checkpoint into a voice (ONNX + JSON), or speech into mp3, ogg, opus, m4a, flac, wav.")


@group.command("voice")
def voice(
    checkpoint: Annotated[Path, typer.Argument(help="A checkpoint, or the folder of a training run.")],
    out: Annotated[Path, typer.Option("--out", help="The voice: NAME.onnx; NAME.onnx.json is written beside it.")],
    noise: Annotated[
        float | None, typer.Option("--noise", help="How much its sound varies where nobody says otherwise.")
    ] = None,
    noise_w: Annotated[
        float | None, typer.Option("--noise-w", help="How much its rhythm varies where nobody says otherwise.")
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Export a voice as ONNX + JSON, compared with torch before it is kept; loads in piper-tts."""
    from voxmatrix.speak.export.export import export_voice

    exported = export_voice(checkpoint, out, noise=noise, noise_w=noise_w, force=force)
    if as_json:
        typer.echo(
            json.dumps(
                {"onnx": str(exported.onnx), "json": str(exported.config), "max_difference": exported.difference}
            )
        )
    else:
        typer.echo(f"{exported.onnx} and {exported.config}: same speech as torch within {exported.difference:.1e}")


@group.command("audio")
def audio(
    source: Annotated[Path, typer.Argument(help="Audio that soundfile or ffmpeg reads.")],
    out: Annotated[Path, typer.Option("--out", help="The new file; its extension decides the format.")],
    bitrate: Annotated[str, options.option("--bitrate", "Bits per second for lossy formats, e.g. 96k.")] = "",
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Encode speech as mp3, ogg, opus, m4a, flac or wav."""
    from voxmatrix.audio.encode import encode

    encode(source, out, bitrate=bitrate or None, force=force)
    if as_json:
        typer.echo(json.dumps({"out": str(out), "bytes": out.stat().st_size}))
    else:
        typer.echo(f"{out}: {out.stat().st_size / 1024:.0f} KiB")
