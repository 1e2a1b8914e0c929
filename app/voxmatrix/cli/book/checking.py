"""The check of a spoken book, and the recogniser that hears it."""

from typing import TYPE_CHECKING

from voxmatrix.cli.terminal.messages import warn
from voxmatrix.cli.terminal.progress import progress
from voxmatrix.errors import Finding, VoxmatrixError

if TYPE_CHECKING:
    from voxmatrix.book.check import Doubt
    from voxmatrix.book.make import BookJob
    from voxmatrix.judge.hearing import Recogniser
    from voxmatrix.models.card import VoiceCard
    from voxmatrix.work.executor import Workers

#: Values of --judge: nobody hears the book; the model that is used if it is at hand.
NO_JUDGE, _USUAL_JUDGE = "none", "base"


def check_sentences(
    job: "BookJob", recogniser: "Recogniser | None", again: "Workers | None", *, full: bool, as_json: bool
) -> "list[Doubt]":
    """Check what is spoken, and warn of what may be wrong."""
    with progress("check", "sentences checked", as_json=as_json) as on_checking:
        doubts = job.check(recogniser, on_checking, again=again, full=full)
    for doubt in doubts:
        warn(doubt.finding())
    return doubts


def recogniser_for(judge: str, voice: "VoiceCard", language: str) -> "Recogniser | None":
    """The recogniser that is asked for; for a voice that may misspeak, one that is at hand.

    `language` is that of the book, for a voice that does not say what it speaks.

    Raises:
        MissingProgramError: the one that is asked for is not installed.
        BadInputError: its model cannot be opened.
    """
    from voxmatrix.judge.hearing import Recogniser

    if judge == NO_JUDGE or not (judge or voice.capabilities.autoregressive):
        return None
    try:
        return Recogniser(judge or _USUAL_JUDGE, voice.language or language, download=bool(judge))
    except VoxmatrixError:
        if judge:
            raise
    problem = f"the voice {voice.id} may skip or invent words, and no recogniser is at hand that would hear it"
    remedy = f'pip install "voxmatrix[judge]", then add `judge={_USUAL_JUDGE}`, which downloads the model once'
    warn(Finding(problem=problem, remedy=f"{remedy}; or add `judge={NO_JUDGE}`", severity="warning"))
    return None
