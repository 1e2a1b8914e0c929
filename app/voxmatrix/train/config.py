"""The settings of a training, and the recipe that follows from them and the recordings."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import UsageError
from voxmatrix.plan.plan import Overrides, Plan
from voxmatrix.tables.quality import Quality

#: Constants of Adam and of the learning rate schedule in the VITS paper; the rate decays per epoch, in both networks.
BETAS = (0.8, 0.99)
EPSILON = 1e-9
RATE_DECAY = 0.999875
#: Weights of the reconstruction and prior terms of the generator loss (VITS paper, section 2.5).
MEL_WEIGHT = 45.0
KL_WEIGHT = 1.0

#: Parts of the losses, in the order of the columns of metrics.csv.
LOSSES = ("mel", "kl", "duration", "adversarial", "features", "discriminator")

DEFAULT_EPOCHS = 1000
DEFAULT_SEED = 1234
#: torch takes no larger one.
MAX_SEED = 2**64 - 1
#: Far above a normal gradient norm (10 … 300): it only limits a step that would ruin the weights.
DEFAULT_CLIP_NORM = 1000.0


@dataclass(frozen=True, kw_only=True)
class TrainSettings:
    """The settings of a training. None: as in the run in `out`, or else chosen automatically."""

    out: Path
    overrides: Overrides = field(default_factory=Overrides)  # of the plan: device, precision, batch …
    max_steps: int | None = None
    epochs: int | None = None
    # These affect the result and are fixed for the life of a run.
    max_batch_seconds: float | None = None  # of padded audio in a batch; 0: no limit
    learning_rate: float | None = None
    clip_norm: float | None = None  # 0: no clipping
    discriminator_start: int | None = None  # the number of first steps that are taken without the discriminators
    seed: int | None = None
    start_from: Path | None = None  # fine-tune from this checkpoint, ours or Piper's
    # These do not affect the result and may change at every resume.
    validate_every: int | None = None  # steps; also the interval of spoken samples
    patience: int | None = None  # validations without a better one that end the training
    sample_text: str = ""  # what the samples say; "": the text of a recording
    judge: str = ""  # the model of faster-whisper that hears sentences at validations; "": nobody does
    checkpoint_every: int | None = None
    save_minutes: float = 10.0  # the most work that a power cut can lose
    keep: int = 3
    log_every: int = 10
    threads: int | None = None
    fresh: bool = False
    tune: bool = False  # measure the device first


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that affects the result of a training; stored in DIR/run.json and in every checkpoint."""

    quality: str
    rate_hz: int
    language: str
    phoneme_type: str
    symbols: str  # digest of the symbol table
    speakers: tuple[str, ...]
    data: str  # digest of the prepared set
    batch_size: int
    accumulation: int
    max_batch_seconds: float
    learning_rate: float
    clip_norm: float
    discriminator_start: int
    seed: int
    start_from: str

    def plain(self) -> dict[str, Any]:
        """The recipe as a JSON object."""
        return {**asdict(self), "speakers": list(self.speakers)}


#: Names of fields in messages, where they differ from those of their settings.
_NAMES = {
    "rate_hz": "the sample rate",
    "phoneme_type": "`phonemes`",
    "symbols": "the symbol table",
    "speakers": "the speakers",
    "data": "the recordings (some were added, removed or changed)",
    "start_from": "`from`",
}


def make_recipe(
    settings: TrainSettings, plan: Plan, prepared: PreparedSet, quality: Quality, previous: Mapping[str, Any] | None
) -> Recipe:
    """The recipe of a training: requested values, or else those of the previous run, or else the defaults.

    Raises:
        UsageError: a value is invalid, or the recipe differs from the previous run; all differences are listed.
    """
    defaults: dict[str, Any] = {
        "max_batch_seconds": 0.0,
        "learning_rate": quality.learning_rate,
        "clip_norm": DEFAULT_CLIP_NORM,
        # A voice that is trained further, and a run from before this setting, have discriminators that have learned.
        "discriminator_start": quality.discriminator_start if previous is None and settings.start_from is None else 0,
        "seed": DEFAULT_SEED,
        "start_from": "",
    }
    requested = {name: getattr(settings, name) for name in defaults}
    if settings.start_from is not None:
        requested["start_from"] = str(settings.start_from)
    resolved = {
        name: (previous or defaults).get(name, default) if requested[name] is None else requested[name]
        for name, default in defaults.items()
    }
    recipe = Recipe(
        quality=quality.name,
        rate_hz=prepared.rate_hz,
        language=prepared.language,
        phoneme_type=prepared.phoneme_type,
        symbols=symbols_digest(prepared.id_map),
        speakers=prepared.speakers,
        data=prepared.digest,
        batch_size=plan.batch_size.value,
        accumulation=plan.accumulation.value,
        **resolved,
    )
    _check_ranges(settings, recipe)
    if previous is not None:
        _check_unchanged(settings.out, recipe.plain(), previous)
    return recipe


def symbols_digest(id_map: Mapping[str, list[int]]) -> str:
    """A digest of the ids of all symbols."""
    text = json.dumps({symbol: list(ids) for symbol, ids in id_map.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _check_ranges(settings: TrainSettings, recipe: Recipe) -> None:
    positive: dict[str, float | None] = {
        "batch_size": recipe.batch_size,
        "accumulation": recipe.accumulation,
        "learning_rate": recipe.learning_rate,
        "max_steps": settings.max_steps,
        "epochs": settings.epochs,
        "validate_every": settings.validate_every,
        "patience": settings.patience,
        "checkpoint_every": settings.checkpoint_every,
        "keep": settings.keep,
        "log_every": settings.log_every,
        "threads": settings.threads,
    }
    not_negative: dict[str, float | None] = {
        "clip_norm": recipe.clip_norm,
        "max_batch_seconds": recipe.max_batch_seconds,
        "discriminator_start": recipe.discriminator_start,
        "seed": recipe.seed,
    }
    for name, value in positive.items():
        if value is not None and not value > 0:
            raise UsageError(f"`{name}` is {value}, must be greater than 0", f"set `{name}` to a number above 0")
    for name, value in not_negative.items():
        if value is not None and not value >= 0:
            raise UsageError(f"`{name}` is {value}, must not be negative", f"set `{name}` to 0 or more")
    if recipe.seed > MAX_SEED:
        raise UsageError(f"`seed` is {recipe.seed}, more than torch can use", f"set `seed` to {MAX_SEED} or less")


def _check_unchanged(out: Path, current: Mapping[str, Any], previous: Mapping[str, Any]) -> None:
    # A run of an earlier version may lack a key; it then continues with the current value.
    changed = [
        part.name for part in fields(Recipe) if current[part.name] != previous.get(part.name, current[part.name])
    ]
    if not changed:
        return
    changes = [_describe(name, previous.get(name), current[name]) for name in changed]
    raise UsageError(
        f"{out} contains a run with other settings, and a run can only be resumed with the same: {'; '.join(changes)}",
        f"restore those settings, choose another `out` (add `from={out / 'last.ckpt'}` to start from its weights), "
        "or add `fresh` to move the old run aside",
    )


def _describe(name: str, previous: object, current: object) -> str:
    called = _NAMES.get(name, f"`{name}`")
    return called if name in ("symbols", "data") else f"{called} was {previous!r}, is {current!r}"
