"""`voxmatrix train DATA --out DIR`: train or fine-tune a voice; goes on by itself when DIR holds a run."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.cli import options
from app.cli.prepare import prepare_settings, prepare_with_progress, show

if TYPE_CHECKING:
    from app.train.fit import TrainResult

_Out = Annotated[Path, options.option("--out", "The folder of the run; it goes on when it holds one.")]
_Whole = {"min": 0}


def command(
    data: options.Data,
    out: _Out,
    quality: options.QualityName = "medium",
    language: options.Language = "en-us",
    phonemes: options.PhonemeType = "espeak",
    profile: options.Profile = "",
    prompt_list: options.PromptList = "",
    max_seconds: options.MaxSeconds = 20.0,
    start_from: Annotated[
        Path | None, options.option("--from", "Fine-tune from this checkpoint, ours or Piper's.")
    ] = None,
    max_steps: Annotated[int, options.option("--max-steps", "End after this many steps.", **_Whole)] = 0,
    epochs: Annotated[int, options.option("--epochs", "End after this many passes over the recordings.", **_Whole)] = 0,
    batch_size: Annotated[int, options.option("--batch-size", "Recordings a batch; 0 decides.", **_Whole)] = 0,
    accumulation: Annotated[int, options.option("--accumulation", "Batches a step; 0 decides.", **_Whole)] = 0,
    max_batch_seconds: Annotated[
        float, options.option("--max-batch-seconds", "Audio in one batch at most, so that long clips fit.", min=0)
    ] = 0,
    learning_rate: Annotated[float, options.option("--learning-rate", "0 takes the quality's own.", min=0)] = 0,
    precision: Annotated[str, options.option("--precision", "32, bf16 or 16.")] = "32",
    device: options.Device = "auto",
    seed: Annotated[int | None, options.option("--seed", "Where randomness starts.")] = None,
    validate_every: Annotated[
        int, options.option("--validate-every", "Steps between validations with a spoken sample.", min=1)
    ] = 100,
    checkpoint_every: Annotated[
        int, options.option("--checkpoint-every", "Steps between kept checkpoints.", min=1)
    ] = 500,
    keep: Annotated[int, options.option("--keep", "How many of them to keep.", min=1)] = 3,
    workers: Annotated[int | None, options.option("--workers", "DataLoader processes; empty decides.", min=0)] = None,
    prepare_workers: Annotated[
        int, options.option("--prepare-workers", "Processes that check recordings; 0 decides.", **_Whole)
    ] = 0,
    threads: Annotated[int, options.option("--threads", "CPU threads; 0 decides.", **_Whole)] = 0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not go on with the run in --out: move it aside.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Train or fine-tune a voice; goes on by itself when --out holds a run."""
    prepared = prepare_with_progress(
        data,
        prepare_settings(
            quality=quality,
            language=language,
            phonemes=phonemes,
            profile=profile,
            prompt_list=prompt_list,
            max_seconds=max_seconds,
            workers=prepare_workers,
        ),
        quiet=as_json,
    )
    if not as_json:
        show(prepared)

    from app.train.fit import fit
    from app.train.settings import TrainSettings

    settings = TrainSettings(
        out=out,
        device=device,
        precision=precision,  # type: ignore[arg-type]  # fit refuses what it does not know
        max_steps=max_steps or None,
        epochs=epochs or None,
        batch_size=batch_size or None,
        accumulation=accumulation or None,
        max_batch_seconds=max_batch_seconds or None,
        learning_rate=learning_rate or None,
        seed=seed,
        start_from=start_from,
        validate_every=validate_every,
        checkpoint_every=checkpoint_every,
        keep=keep,
        workers=workers,
        threads=threads or None,
        fresh=fresh,
    )
    result = fit(prepared, settings)
    if as_json:
        typer.echo(json.dumps(_summary(result)))
    else:
        typer.echo(f"{result.steps} steps. Checkpoints: {result.last} and, lowest validation loss, {result.best}")
        typer.echo(f'  → voxmatrix speak --voice {out} --text "Hello" --out hello.wav')


def _summary(result: "TrainResult") -> dict[str, Any]:
    return {
        "out": str(result.out),
        "last": str(result.last),
        "best": str(result.best),
        "steps": result.steps,
        "losses": dict(result.losses),
    }
