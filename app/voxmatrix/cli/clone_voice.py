"""`voxmatrix voices clone`: a voice of seconds of sound."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.errors import Finding


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the new voice is called.", show_default=False)],
    engine: Annotated[str, typer.Option("--engine", metavar="ENGINE", help="The engine that imitates it.")],
    reference: Annotated[
        Path, typer.Option("--reference", metavar="FILE", help="A recording of one person, some seconds long.")
    ],
    transcript: Annotated[str, typer.Option("--transcript", metavar="WORDS", help="What is said in it.")] = "",
    weights: Annotated[
        str, typer.Option("--weights", metavar="ID", help="The weights of the engine, if it has several.")
    ] = "",
    language: Annotated[
        str, typer.Option("--language", metavar="TAG", help="The language that the voice speaks: de, en-us.")
    ] = "",
    consent: Annotated[
        str, typer.Option("--consent", metavar="SPEAKER", help="The name of the speaker, who agrees to be imitated.")
    ] = "",
    as_json: options.AsJson = False,
) -> None:
    """Make a voice of seconds of sound, which an engine imitates. Its speaker must agree."""
    from voxmatrix.voices.clone import (
        COMPARE_SPEAKERS,
        STATEMENT,
        CloneRequest,
        are_speakers_compared,
        check_recording,
        clone,
    )

    if not (consent or as_json) and sys.stdin.isatty():
        check_recording(reference, engine, weights, transcript)  # nothing is asked for what cannot be
        speaker = typer.prompt("Whose voice is it?", err=True)
        consent = speaker if typer.confirm(f"{STATEMENT.format(name=speaker)} Is that true?", err=True) else ""
    request = CloneRequest(
        name=name,
        engine=engine,
        recording=reference,
        speaker=consent,
        transcript=transcript,
        weights=weights,
        language=language,
    )
    made = clone(request)
    for finding in made.findings:
        warn(finding)
    if not are_speakers_compared():
        problem = f"whether only one person speaks in {reference.name} was not checked, but for the pitch"
        warn(Finding(problem=problem, remedy=COMPARE_SPEAKERS, severity="warning"))
    if as_json:
        print_json({"voice": made.id, "path": str(made.path), "seconds": round(made.seconds, 2)})
        return
    echo(f"{made.path}: {made.id}, of {made.seconds:.1f} s of speech")
    echo(f'  → voxmatrix speak --voice {made.id} --text "Hello" --out hello.wav', err=True)
