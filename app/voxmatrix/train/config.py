"""What a person may decide about a training, and what follows from it together with the recordings."""

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

#: Adam's and the schedule's constants of the VITS paper; the rate decays once an epoch, in both networks.
BETAS = (0.8, 0.99)
EPSILON = 1e-9
RATE_DECAY = 0.999875
#: Weights of the reconstruction and of the prior in the generator's loss (VITS paper, section 2.5).
MEL_WEIGHT = 45.0
KL_WEIGHT = 1.0

DEFAULT_EPOCHS = 1000
DEFAULT_SEED = 1234
#: Far above a healthy norm (10 … 300): it only breaks the fall of a step that would ruin the weights.
DEFAULT_CLIP_NORM = 1000.0


@dataclass(frozen=True, kw_only=True)
class TrainSettings:
    """One training. None means: what the run in `out` says, else decided for you."""

    out: Path
    overrides: Overrides = field(default_factory=Overrides)  # of what the plan decides: device, precision, batch …
    max_steps: int | None = None
    epochs: int | None = None
    # What decides what is learned: fixed for the life of a run.
    max_batch_seconds: float | None = None  # padded audio in a batch at most; 0 sets no limit
    learning_rate: float | None = None
    clip_norm: float | None = None  # 0 clips nothing
    seed: int | None = None
    start_from: Path | None = None  # fine-tune from this checkpoint, ours or Piper's
    # What does not: may change at every resume.
    validate_every: int = 100  # steps; a spoken sample is kept as often
    checkpoint_every: int = 500
    save_minutes: float = 10.0  # the longest that a power cut can cost
    keep: int = 3
    log_every: int = 10
    threads: int | None = None
    fresh: bool = False
    tune: bool = False  # measure the device before


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that decides what is learned; DIR/run.json and every checkpoint carry it."""

    quality: str
    rate_hz: int
    language: str
    phoneme_type: str
    symbols: str  # digest of the table of symbols
    speakers: tuple[str, ...]
    recordings: str  # digest of the prepared set
    batch_size: int
    accumulation: int
    max_batch_seconds: float
    learning_rate: float
    clip_norm: float
    seed: int
    start_from: str

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {**asdict(self), "speakers": list(self.speakers)}


#: How each part of a recipe that can contradict is called at the keyboard.
_NAMES = {
    "quality": "--quality",
    "rate_hz": "the sample rate",
    "language": "--language",
    "phoneme_type": "--phonemes",
    "symbols": "the table of symbols",
    "speakers": "the speakers",
    "recordings": "the recordings (some were added, removed or changed)",
    "start_from": "--from",
}


def make_recipe(
    settings: TrainSettings, plan: Plan, prepared: PreparedSet, quality: Quality, previous: Mapping[str, Any] | None
) -> Recipe:
    """What will be learned from: asked for, else as the previous run had it, else the default; batches as planned.

    Raises:
        UsageError: the previous run was about something else; every difference is named.
    """
    defaults: dict[str, Any] = {
        "max_batch_seconds": 0.0,
        "learning_rate": quality.learning_rate,
        "clip_norm": DEFAULT_CLIP_NORM,
        "seed": DEFAULT_SEED,
        "start_from": "",
    }
    asked = {name: getattr(settings, name) for name in defaults}
    if settings.start_from is not None:
        asked["start_from"] = str(settings.start_from)
    chosen = {
        name: (previous or defaults).get(name, default) if asked[name] is None else asked[name]
        for name, default in defaults.items()
    }
    recipe = Recipe(
        quality=quality.name,
        rate_hz=prepared.rate_hz,
        language=prepared.language,
        phoneme_type=prepared.phoneme_type,
        symbols=symbols_digest(prepared.id_map),
        speakers=prepared.speakers,
        recordings=prepared.digest,
        batch_size=plan.batch_size.value,
        accumulation=plan.accumulation.value,
        **chosen,
    )
    _refuse_nonsense(settings, recipe)
    if previous is not None:
        _refuse_contradiction(settings.out, recipe.plain(), previous)
    return recipe


def symbols_digest(id_map: Mapping[str, list[int]]) -> str:
    """Changes when a symbol means another id."""
    text = json.dumps({symbol: list(ids) for symbol, ids in id_map.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _refuse_nonsense(settings: TrainSettings, recipe: Recipe) -> None:
    positive: dict[str, float | None] = {
        "--batch-size": recipe.batch_size,
        "--accumulation": recipe.accumulation,
        "--learning-rate": recipe.learning_rate,
        "--max-steps": settings.max_steps,
        "--epochs": settings.epochs,
        "--validate-every": settings.validate_every,
        "--checkpoint-every": settings.checkpoint_every,
        "--keep": settings.keep,
        "--log-every": settings.log_every,
        "--threads": settings.threads,
    }
    not_negative: dict[str, float | None] = {
        "--clip-norm": recipe.clip_norm,
        "--max-batch-seconds": recipe.max_batch_seconds,
        "--seed": recipe.seed,
    }
    for flag, value in positive.items():
        if value is not None and not value > 0:
            raise UsageError(f"{flag} is {value}, and must be more than 0", f"set {flag} to a number above 0")
    for flag, value in not_negative.items():
        if value is not None and not value >= 0:
            raise UsageError(f"{flag} is {value}, and must not be negative", f"set {flag} to 0 or more")


def _refuse_contradiction(out: Path, now: Mapping[str, Any], before: Mapping[str, Any]) -> None:
    different = [part.name for part in fields(Recipe) if now[part.name] != before.get(part.name)]
    if not different:
        return
    named = [_describe(name, before.get(name), now[name]) for name in different]
    raise UsageError(
        f"{out} holds a run that was started otherwise, and a run goes on only as it began: {'; '.join(named)}",
        f"take those settings back, or choose another --out (with --from {out / 'last.ckpt'} it starts there), "
        "or add --fresh: the old run is moved aside",
    )


def _describe(name: str, before: object, now: object) -> str:
    flag = _NAMES.get(name, "--" + name.replace("_", "-"))
    return flag if name in ("symbols", "recordings") else f"{flag} was {before!r}, is {now!r}"
