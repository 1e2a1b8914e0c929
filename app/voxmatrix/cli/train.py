"""`voxmatrix train DATA --out DIR`: train or fine-tune a voice; goes on by itself when DIR holds a run."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.overrides import read_overrides
from voxmatrix.cli.prepare import prepare_settings, prepare_with_progress, show
from voxmatrix.config import is_rank_zero

if TYPE_CHECKING:
    from voxmatrix.train.fit import TrainResult

_Out = Annotated[Path, options.option("--out", "The folder of the run; it goes on when it holds one.")]
_Whole = {"min": 0}
_AUTO = "auto"


def command(
    context: typer.Context,
    data: options.Data,
    out: _Out,
    quality: options.QualityName = "medium",
    language: options.LanguageTag = "en-us",
    phonemes: options.PhonemeType = "espeak",
    profile: options.ProfileName = "",
    prompt_list: options.PromptList = "",
    max_seconds: options.MaxSeconds = 20.0,
    start_from: Annotated[
        Path | None, options.option("--from", "Fine-tune from this checkpoint, ours or Piper's.")
    ] = None,
    max_steps: Annotated[int, options.option("--max-steps", "End after this many steps.", **_Whole)] = 0,
    epochs: Annotated[int, options.option("--epochs", "End after this many passes over the recordings.", **_Whole)] = 0,
    batch_size: options.BatchSize = _AUTO,
    accumulation: options.Accumulation = _AUTO,
    max_batch_seconds: Annotated[
        float, options.option("--max-batch-seconds", "Audio in one batch at most, so that long clips fit.", min=0)
    ] = 0,
    learning_rate: Annotated[float, options.option("--learning-rate", "0 takes the quality's own.", min=0)] = 0,
    device: options.Device = _AUTO,
    gpu: options.GpuNumber = "",
    use_gpu: options.UseGpu = None,
    devices: options.Devices = _AUTO,
    precision: options.PrecisionName = _AUTO,
    tf32: options.Tf32 = _AUTO,
    cudnn_benchmark: options.CudnnBenchmark = _AUTO,
    gradient_checkpointing: options.GradientCheckpointing = _AUTO,
    compile: options.Compile = _AUTO,
    seed: Annotated[int | None, options.option("--seed", "Where randomness starts.")] = None,
    validate_every: Annotated[
        int, options.option("--validate-every", "Steps between validations with a spoken sample.", min=1)
    ] = 100,
    checkpoint_every: Annotated[
        int, options.option("--checkpoint-every", "Steps between kept checkpoints.", min=1)
    ] = 500,
    keep: Annotated[int, options.option("--keep", "How many of them to keep.", min=1)] = 3,
    workers: options.LoadingWorkers = _AUTO,
    prepare_workers: options.PrepareWorkers = _AUTO,
    threads: Annotated[int, options.option("--threads", "CPU threads; 0 decides.", **_Whole)] = 0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not go on with the run in --out: move it aside.")] = False,
    tune: Annotated[
        bool, typer.Option("--tune", help="First measure the largest batch that fits, for this kind of device.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Train or fine-tune a voice; goes on by itself when --out holds a run."""
    asked = read_overrides(context)
    prepared = prepare_with_progress(
        data,
        prepare_settings(
            quality=quality,
            language=language,
            phonemes=phonemes,
            profile=profile,
            prompt_list=prompt_list,
            max_seconds=max_seconds,
            workers=0 if asked.prepare_workers is None else asked.prepare_workers.value,
        ),
        quiet=as_json or not is_rank_zero(),
    )
    if is_rank_zero() and not as_json:
        show(prepared)

    from voxmatrix.train.config import TrainSettings
    from voxmatrix.train.fit import fit

    settings = TrainSettings(
        out=out,
        asked=asked,
        max_steps=max_steps or None,
        epochs=epochs or None,
        max_batch_seconds=max_batch_seconds or None,
        learning_rate=learning_rate or None,
        seed=seed,
        start_from=start_from,
        validate_every=validate_every,
        checkpoint_every=checkpoint_every,
        keep=keep,
        threads=threads or None,
        fresh=fresh,
        tune=tune,
    )
    result = fit(prepared, settings)
    if not is_rank_zero():
        return
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
        **({} if result.tuned is None else {"tuned": result.tuned.to_json()}),
    }
