"""What a model says of the speakers of a book, beside what the rules say."""

from collections.abc import Sequence
from pathlib import Path

from voxmatrix.book.content import Speech
from voxmatrix.book.people.ask import Ask, Asked, ask_speakers
from voxmatrix.book.people.cast import Attribution
from voxmatrix.book.people.clues import NARRATOR
from voxmatrix.book.people.corrections import Place, correction_of
from voxmatrix.progress import OnProgress
from voxmatrix.voices.cast_table import NOBODY_KNOWN, Correction


def ask_book(
    found: Attribution, people: Sequence[str], ask: Ask, *, model: str, kept: Path, on_progress: OnProgress
) -> tuple[list[Correction], Asked]:
    """The speakers of what the rules are not sure of; `?` where they are, and the model says somebody else.

    Args:
        found: what the rules say, without answers of a model.
        people: the names that may be answered.
        ask: how the model is asked.
        model: its name.
        kept: the folder of answers: what was answered once is not asked for again.
        on_progress: is called with the chapters that are done, and their number.

    Raises:
        As `ask_speakers`.
    """
    said, total = [], Asked()
    lines = {line.place: line for line in found.lines}
    for number, chapter in enumerate(found.book.chapters):
        places, speeches = _first_pieces(number, chapter.speeches)
        asked = ask_speakers(chapter.paragraphs, speeches, people, ask, model=model, kept=kept)
        for index, name in asked.found.items():
            place, who = places[index], name or NARRATOR
            line = lines[place]
            if not line.sure or line.who != who:
                said.append(correction_of(found.book.chapters, place, NOBODY_KNOWN if line.sure else who, by=model))
        total.add(asked)
        on_progress(number + 1, len(found.book.chapters))
    return said, total


def _first_pieces(chapter: int, speeches: Sequence[Speech]) -> tuple[list[Place], list[Speech]]:
    """The first speech of each paragraph: one person says all of it."""
    first = [index for index, one in enumerate(speeches) if not index or speeches[index - 1].paragraph != one.paragraph]
    return [Place(chapter, index) for index in first], [speeches[index] for index in first]
