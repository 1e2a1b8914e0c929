"""`voxmatrix train DATA --out DIR`: train or fine-tune a voice, or continue the run in DIR.

With --profile, both have defaults: the recordings that the server keeps, and the voice of that name in the home.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.checkpoints import checkpoint_named
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import read_overrides
from voxmatrix.cli.prepare import prepare_settings, prepare_with_progress, show
from voxmatrix.cli.terminal.messages import echo, print_json, shown, with_flags
from voxmatrix.config import home, is_rank_zero
from voxmatrix.errors import BadInputError, UsageError
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.plan.plan import Overrides
    from voxmatrix.train.config import TrainSettings
    from voxmatrix.train.fit import TrainResult

_Data = Annotated[
    Path | None,
    typer.Argument(
        metavar="DATA",
        help="Folder of recordings (metadata.csv, NAME.wav + NAME.txt …), or a table; with --profile, by default that "
        "of the server.",
        show_default=False,
    ),
]
_Out = Annotated[
    Path | None,
    options.automatic("--out", "DIR", "Folder of the run; a run in it is continued (--profile: a voice of that name)."),
]


@dataclass(frozen=True, kw_only=True)
class TrainOptions(options.ThreadOptions, options.PlanOptions, options.RecordingOptions):
    """The options of this command."""

    start_from: Annotated[
        Path | None,
        options.option(
            "--from",
            "FILE",
            "Fine-tune this checkpoint, the best of a run, or a public one by its name (voices search --checkpoints).",
            panel="Training",
        ),
    ] = None
    max_steps: Annotated[
        int, options.automatic("--max-steps", "N", "Stop after N steps (0: no limit).", "Training", min=0)
    ] = 0
    epochs: Annotated[
        int,
        options.automatic("--epochs", "N", "Stop after N epochs (default: 1000, or --max-steps).", "Training", min=0),
    ] = 0
    max_batch_seconds: Annotated[
        float, options.automatic("--max-batch-seconds", "N", "Limit the audio per batch to N s.", "Training", min=0)
    ] = 0
    learning_rate: Annotated[
        float, options.automatic("--learning-rate", "X", "Learning rate (0: that of the quality).", "Training", min=0)
    ] = 0
    discriminator_start: Annotated[
        int | None,
        options.automatic(
            "--discriminator-start",
            "N",
            "Take the first N steps without discriminators (fast qualities from scratch: 2000).",
            "Training",
            min=0,
        ),
    ] = None
    seed: Annotated[int | None, options.option("--seed", "N", "Random seed (default: 1234).", panel="Training")] = None
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="First measure which batches fit this device, and how fast they are.",
            rich_help_panel="Training",
        ),
    ] = False
    validate_every: Annotated[
        int | None,
        options.automatic(
            "--validate-every",
            "N",
            "Steps between validations and samples (100, more if they took over 5 % of the time).",
            "Checkpoints",
            min=1,
        ),
    ] = None
    patience: Annotated[
        int,
        options.automatic(
            "--patience",
            "N",
            "Early stopping: end after N validations without a better one (0: only say so).",
            "Training",
            min=0,
        ),
    ] = 0
    sample_text: Annotated[
        str,
        options.automatic(
            "--sample-text", "TEXT", "What the samples say (default: the text of a recording).", "Checkpoints"
        ),
    ] = ""
    checkpoint_every: Annotated[
        int | None,
        options.automatic(
            "--checkpoint-every",
            "N",
            "Steps between checkpoints that are kept (500, more if they took over 5 % of the time).",
            "Checkpoints",
            min=1,
        ),
    ] = None
    keep: Annotated[int, options.option("--keep", "N", "Checkpoints to keep.", panel="Checkpoints", min=1)] = 3
    fresh: Annotated[bool, typer.Option("--fresh", help="Move the run in --out aside and start a new one.")] = False


def folders(parameters: Mapping[str, Any]) -> list[Path]:
    """The folders that the command writes to: of the run, and the cache."""
    data, out = (None if parameters[name] is None else Path(parameters[name]) for name in ("data", "out"))
    return [_places(data, out, parameters["profile"])[1], home() / "cache"]


def _places(data: Path | None, out: Path | None, profile: str) -> tuple[Path, Path]:
    """The recordings and the folder of the run. The server keeps those of a profile, and voices are in the home.

    Raises:
        UsageError: neither they nor a profile are given, or no folder can have its name.
        BadInputError: the server has no recordings.
    """
    if not profile and (data is None or out is None):
        missing, remedy = (
            ("DATA", "give the folder of recordings, or --profile NAME for those of the server in VOXMATRIX_HOME")
            if data is None
            else ("--out", "add --out DIR, the folder of the run")
        )
        raise UsageError(f"{missing} is missing", remedy)
    if out is None and (profile in (".", "..") or Path(profile).name != profile):
        raise UsageError(f"--profile is {profile!r}, which is not a folder name", "add --out DIR")
    recordings = home() / "recordings"
    if data is None and not recordings.is_dir():
        raise BadInputError(
            f"there is no folder {recordings}, where the server keeps recordings",
            "give DATA, the folder in which the profile is, or record on the page of voxmatrix serve",
        )
    return data or recordings, out or home() / "voices" / profile


@expand
def command(
    context: typer.Context,
    data: _Data = None,
    out: _Out = None,
    *,
    given: TrainOptions,
    as_json: options.AsJson = False,
) -> None:
    """Train or fine-tune a voice, or continue the run in --out."""
    data, out = _places(data, out, given.profile)
    if out.resolve() == data.resolve() and (given.fresh or not any(out.glob("*.ckpt"))):
        raise UsageError(f"--out {out} is the folder of the recordings", "choose another folder for the run")
    if given.start_from is not None:
        from voxmatrix.piper.checkpoints import place_of
        from voxmatrix.piper.files import PUBLIC_NAME, find_checkpoint
        from voxmatrix.voices.resolve import check_trainable

        check_trainable(given.start_from, "be trained further")
        if given.start_from.exists():  # else it is reported when it is needed: a run that goes on does not
            given = replace(given, start_from=find_checkpoint(given.start_from))
        elif PUBLIC_NAME.fullmatch(name := str(given.start_from)):
            has_run = any(out.glob("*.ckpt")) and not given.fresh
            public = place_of(name) if has_run else checkpoint_named(name, as_json=as_json)
            given = replace(given, start_from=public)
    overrides = read_overrides(context)
    workers = 0 if overrides.prepare_workers is None else overrides.prepare_workers.value
    prepared = prepare_with_progress(
        data,
        prepare_settings(given, workers),
        as_json=as_json,
        force=given.force,
        quiet=not is_rank_zero(),
        judge=given.judge,
    )
    if is_rank_zero() and not as_json:
        show(prepared, data)

    from voxmatrix.train.fit import fit
    from voxmatrix.train.monitor.json_progress import JsonProgress
    from voxmatrix.train.monitor.progress import make_progress

    progress = JsonProgress(with_flags) if as_json else make_progress(say=shown)
    result = fit(prepared, _settings(out, given, overrides), progress, preflight=context.obj)
    if not is_rank_zero():
        return
    if as_json:
        print_json(_summary(result))
    else:
        echo(
            f"{pluralise(result.steps, 'step')}. Checkpoints: {result.last} and {result.best} (lowest validation loss)"
        )
        echo(f'  → voxmatrix speak --voice {shlex.quote(str(out))} --text "Hello" --out hello.wav')


def _settings(out: Path, given: TrainOptions, overrides: "Overrides") -> "TrainSettings":
    from voxmatrix.train.config import TrainSettings

    return TrainSettings(
        out=out,
        overrides=overrides,
        max_steps=given.max_steps or None,
        epochs=given.epochs or None,
        max_batch_seconds=given.max_batch_seconds or None,
        learning_rate=given.learning_rate or None,
        discriminator_start=given.discriminator_start,
        seed=given.seed,
        start_from=given.start_from,
        validate_every=given.validate_every,
        checkpoint_every=given.checkpoint_every,
        patience=given.patience or None,
        sample_text=given.sample_text,
        judge=given.judge,
        keep=given.keep,
        threads=given.threads or None,
        fresh=given.fresh,
        tune=given.tune,
    )


def _summary(result: "TrainResult") -> dict[str, Any]:
    return {
        "out": str(result.out),
        "last": str(result.last),
        "best": str(result.best),
        "steps": result.steps,
        "best_step": result.best_step,
        "stalled": result.stalled,
        "losses": dict(result.losses),
        **({} if result.tuned is None else {"tuned": result.tuned.to_json()}),
    }
