"""`voxmatrix export voice` and `voxmatrix export audio`."""

from pathlib import Path
from typing import Annotated

import typer

from voxmatrix.cli.command import CommandGroup
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.errors import Finding

group = CommandGroup(help="Export a voice as ONNX, or convert audio to another format.")


@group.command("voice")
def voice(
    voice: Annotated[
        Path,
        typer.Argument(
            metavar="VOICE",
            help="Checkpoint, or folder of a training run; with --for also a voice by its name or file.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="FILE", help="NAME.onnx; NAME.onnx.json is written next to it. With --for a folder."
        ),
    ],
    program: Annotated[
        str | None,
        typer.Option("--for", metavar="PROGRAM", help="All that piper, homeassistant, sherpa or android needs."),
    ] = None,
    noise: Annotated[float | None, typer.Option("--noise", metavar="X", help="Default variation of the sound.")] = None,
    noise_w: Annotated[
        float | None, typer.Option("--noise-w", metavar="X", help="Default variation of the rhythm.")
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Export a checkpoint as a Piper voice (ONNX and JSON), verified against torch, or any voice for a program.

    A training that has not learned to speak yet is refused, or with --force only told.
    """
    from voxmatrix.piper.export.export import LEARN_FURTHER, export_voice
    from voxmatrix.voices.resolve import check_trainable

    check_trainable(voice, "be exported")
    if program is not None:
        _package(voice, out, program, noise=noise, noise_w=noise_w, force=force, as_json=as_json)
        return
    exported = export_voice(
        voice, out, noise=noise, noise_w=noise_w, force=force, speech="told" if force else "required"
    )
    if exported.doubt:
        warn(
            Finding(
                problem=f"it has not learned to speak yet: {exported.doubt}", remedy=LEARN_FURTHER, severity="warning"
            )
        )
    if as_json:
        print_json(
            {
                "onnx": str(exported.onnx),
                "json": str(exported.config),
                "max_difference": exported.difference,
                "doubt": exported.doubt,
            }
        )
    else:
        echo(f"{exported.onnx} and {exported.config}: same speech as torch within {exported.difference:.1e}")
        echo(
            f"  → for other programs: voxmatrix export voice {exported.onnx} --for {'|'.join(_programs())} --out DIR",
            err=True,
        )


def _programs() -> list[str]:
    from voxmatrix.piper.export.package import PROGRAMS

    return [*PROGRAMS]


def _package(
    voice: Path, out: Path, program: str, *, noise: float | None, noise_w: float | None, force: bool, as_json: bool
) -> None:
    """Write the files of a voice for a program, and say how they are installed."""
    from voxmatrix.piper.export.model_card import Origin
    from voxmatrix.piper.export.package import write_package
    from voxmatrix.voices.resolve import locate

    family, path = locate(voice)
    card = family.card(path)
    origin = Origin(license=card.license, source=card.source)
    made = write_package(
        path,
        program,
        out,
        noise=noise,
        noise_w=noise_w,
        origin=origin,
        force=force,
        speech="told" if force else "required",
    )
    names = [one.name for one in made.files]
    if as_json:
        print_json({"folder": str(made.folder), "files": names, "install": made.install})
        return
    echo(f"{made.folder}: {', '.join(names)}")
    echo(f"  → {made.install}", err=True)


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
