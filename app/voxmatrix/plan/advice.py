"""Advice on a training, by its recordings, from advice.toml: how long, from what, in which batches. Pure."""

from dataclasses import dataclass

from voxmatrix.tables.training import advice_table
from voxmatrix.wording import pluralise


@dataclass(frozen=True, kw_only=True)
class Intended:
    """A training as it would run."""

    seconds: float  # of speech
    clips: int
    batch: int  # clips of a step
    learning_rate: float
    steps: int  # at its end
    steps_per_epoch: int
    fine_tuned: bool
    on_gpu: bool


def advise(training: Intended) -> list[str]:
    """What others would do otherwise or wait for, a sentence each. Settings are named as in all messages."""
    about = _fine_tuned(training) if training.fine_tuned else _from_scratch(training)
    few = advice_table()["few_clips"]
    if training.clips < few["clips"] and training.batch > few["batch"]:
        count = pluralise(training.clips, "clip")
        about.append(f"of {count}, `batch_size={few['batch']}` with `accumulation=1` makes more steps of an epoch")
    return about


def _fine_tuned(training: Intended) -> list[str]:
    row = advice_table()["fine_tuned"]
    said = [
        f"usual for fine-tuning are {_epochs(row['epochs'], training)}; the speaker is heard after some "
        f"{row['heard_from']} epochs, and little speech becomes worse again before {row['too_many']:,}: "
        "`patience=20` ends it then"
    ]
    if training.learning_rate > row["learning_rate"]:
        rate = row["learning_rate"]
        said.append(f"the usual learning rate for fine-tuning is {rate:g}, here it is {training.learning_rate:g}")
    return said


def _from_scratch(training: Intended) -> list[str]:
    row = advice_table()["from_scratch"]
    said = []
    if training.seconds < 60 * row["fine_tune_below_minutes"]:
        hours = row["fine_tune_below_minutes"] // 60
        small = "" if training.on_gpu else "; without a GPU, voxmatrix distil makes a small voice in minutes"
        said.append(
            f"with less than {hours} hours of speech, start from a public voice, also of another language: "
            f"voxmatrix voices search --checkpoints, then `from`{small}"
        )
    said.append(f"usual from scratch are {_epochs(row['epochs'], training)}")
    if training.steps < row["least_steps"]:
        said.append(
            f"{training.steps:,} steps from scratch are too few for words: expect {row['least_steps']:,} or more"
        )
    return said


def _epochs(count: int, training: Intended) -> str:
    return f"{count:,} epochs, here {count * training.steps_per_epoch:,} steps"
