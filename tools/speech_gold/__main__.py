"""Measure how well speech is found in paragraphs of novels that were marked by hand.

    python -m tools.speech_gold ELTEC

ELTEC is a folder with the repositories COST-ELTeC/ELTeC-deu, -fra, -pol, -spa and -swe, each with its folder `level1`.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.speech_gold.gold import Novel, chapters, novels
from voxmatrix.text.speech.find import marks_of, spoken_parts

_FOLDERS = {"de": "ELTeC-deu", "es": "ELTeC-spa", "fr": "ELTeC-fra", "pl": "ELTeC-pol", "sv": "ELTeC-swe"}


@dataclass(frozen=True)
class Figures:
    """How much speech there is, was found, and is right; a right piece begins and ends with the same letters."""

    pieces: int = 0
    found_pieces: int = 0
    right_pieces: int = 0
    letters: int = 0
    found_letters: int = 0
    right_letters: int = 0

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(*(one + two for one, two in zip(vars(self).values(), vars(other).values(), strict=True)))

    def told(self) -> str:
        """The shares in percent."""
        return (
            f"{self.pieces:4} pieces: {_percent(self.right_pieces, self.pieces)} found, "
            f"{_percent(self.right_pieces, self.found_pieces)} right; letters: "
            f"recall {_percent(self.right_letters, self.letters)}, "
            f"precision {_percent(self.right_letters, self.found_letters)}"
        )


def main() -> None:
    """Print the figures by novel and half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for language, name in _FOLDERS.items():
        halves: defaultdict[bool, Figures] = defaultdict(Figures)
        for novel in novels(Path(__file__).with_name(f"{language}.txt")):
            figures = measure(novel, chapters(folder / name / "level1" / novel.name), language)
            print(f"{language} {novel.name[:32]:32} {figures.told()}")
            halves[novel.held] += figures
        for held, figures in sorted(halves.items()):
            print(f"{language} {'held' if held else 'seen':32} {figures.told()}")
        print(f"{language} {'all':32} {(halves[False] + halves[True]).told()}")


def measure(novel: Novel, book: Sequence[Sequence[str]], language: str) -> Figures:
    """What was found in the paragraphs of a novel.

    Args:
        novel: what was marked.
        book: its chapters.
        language: e.g. `fr`.

    Raises:
        ValueError: the book is not the one that was marked.
    """
    marks = marks_of([paragraph for chapter in book for paragraph in chapter], language)
    spoken: dict[int, defaultdict[int, list[tuple[int, int]]]] = {}
    figures = Figures()
    for paragraph in novel.paragraphs:
        if paragraph.chapter not in spoken:
            own = spoken[paragraph.chapter] = defaultdict(list)
            for part in spoken_parts(book[paragraph.chapter], language, marks):
                own[part.paragraph].append((part.start, part.end))
        text = book[paragraph.chapter][paragraph.index]
        figures += _figures(text, paragraph.spans(text), spoken[paragraph.chapter][paragraph.index])
    return figures


def _figures(text: str, wanted: Iterable[tuple[int, int]], found: Iterable[tuple[int, int]]) -> Figures:
    letters, found_letters = _letters(text, wanted), _letters(text, found)
    pieces, found_pieces = _pieces(text, letters), _pieces(text, found_letters)
    counted = (pieces, found_pieces, pieces & found_pieces, letters, found_letters, letters & found_letters)
    return Figures(*(len(each) for each in counted))


def _letters(text: str, spans: Iterable[tuple[int, int]]) -> set[int]:
    """The places of letters and digits."""
    return {place for start, end in spans for place in range(start, end) if text[place].isalnum()}


def _pieces(text: str, letters: set[int]) -> set[tuple[int, int]]:
    """The first and the last letter of what is spoken without the narrator in between."""
    pieces: list[tuple[int, int]] = []
    speaking = False
    for place in (place for place, one in enumerate(text) if one.isalnum()):
        if place in letters:
            pieces[-1:] = [(pieces[-1][0], place)] if speaking else [*pieces[-1:], (place, place)]
        speaking = place in letters
    return set(pieces)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f}" if whole else "    -"


if __name__ == "__main__":
    main()
