"""Which speech a correction is about: found again in other editions, by its words and those before it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voxmatrix.book.content import Chapter, Speech
from voxmatrix.voices.cast_table import Correction

_WORD = re.compile(r"[^\W_]+")
#: Words of a speech, and before it, that are compared.
_WORDS, _WORDS_BEFORE = 40, 12
#: Words are alike if this share of them is the same, and no other speech comes as close; fewer words tell too little.
_ALIKE, _CLEARLY, _FEWEST = 0.6, 0.1, 5


@dataclass(frozen=True)
class Place:
    """A speech: the index of its chapter, and of the speech in it."""

    chapter: int
    speech: int


@dataclass(frozen=True)
class _Said:
    place: Place
    words: Sequence[str]  # of the speech, and of its paragraph behind it
    before: Sequence[str]


def find_corrections(
    chapters: Sequence[Chapter], corrections: Iterable[Correction]
) -> tuple[dict[Place, Correction], list[Correction]]:
    """The corrections by their speech, and those that fit none, several alike, or one that another is about.

    A person's is stronger than a model's.
    """
    corrections = sorted(corrections, key=lambda one: not one.by)
    speeches = list(_speeches(chapters)) if corrections else []
    beginning: defaultdict[tuple[str, ...], list[_Said]] = defaultdict(list)
    with_word: defaultdict[str, list[int]] = defaultdict(list)
    for number, said in enumerate(speeches):
        for length in range(1, 5):
            if len(said.words) >= length:
                beginning[tuple(said.words[:length])].append(said)
        for word in set(said.words):
            with_word[word].append(number)
    found: dict[Place, Correction] = {}
    others, lost = [], []
    for correction in corrections:
        words, behind = _words(correction.text), _words(correction.behind)
        place = _exact(beginning[tuple(words[:4])], words, behind)
        if place is None:
            others.append((correction, words, behind))
        elif not _takes(place, correction, found):
            lost.append(correction)
    for correction, words, behind in others:
        place = _alike(speeches, with_word, words, behind)
        if place is None or not _takes(place, correction, found):
            lost.append(correction)
    return found, lost


def _takes(place: Place, correction: Correction, found: dict[Place, Correction]) -> bool:
    """Whether a correction is about this speech, and no other one of its kind is: then it is put there if it counts."""
    other = found.get(place)
    if other is not None and bool(other.by) == bool(correction.by):
        return False
    if other is None or other.by:
        found[place] = correction
    return True


def correction_of(chapters: Sequence[Chapter], place: Place, who: str, by: str = "") -> Correction:
    """A correction of a speech, by a person or a model, to be found again by `find_corrections`."""
    chapter = chapters[place.chapter]
    speech = chapter.speeches[place.speech]
    text = chapter.paragraphs[speech.paragraph][speech.start : speech.end]
    words = text.split()
    before = " ".join(_before(chapter, speech).split()[-_WORDS_BEFORE:])
    return Correction(" ".join(words[:_WORDS_BEFORE]), who, before, by)


def _speeches(chapters: Sequence[Chapter]) -> Iterable[_Said]:
    for number, chapter in enumerate(chapters):
        for index, speech in enumerate(chapter.speeches):
            text = chapter.paragraphs[speech.paragraph][speech.start :]  # on to what follows: it may be copied, too
            yield _Said(Place(number, index), _words(text)[:_WORDS], _words(_before(chapter, speech))[-_WORDS_BEFORE:])


def _before(chapter: Chapter, speech: Speech) -> str:
    """The text before a speech, in its paragraph and the one before."""
    own = chapter.paragraphs[speech.paragraph][: speech.start]
    return f"{chapter.paragraphs[speech.paragraph - 1] if speech.paragraph else ''} {own}"[-300:]


def _exact(fits: Iterable[_Said], words: Sequence[str], behind: Sequence[str]) -> Place | None:
    """The speech that begins with these words and stands behind those; without them, if there is but one."""
    same = [said for said in fits if list(said.words[: len(words)]) == list(words[: len(said.words)])]
    whole = [said for said in same if len(said.words) >= len(words)]
    there = [said for said in whole if behind and list(said.before[-len(behind) :]) == list(behind)]
    for choice in (there, whole):
        if len(choice) == 1:
            return choice[0].place
    return None


def _alike(
    speeches: Sequence[_Said], with_word: dict[str, list[int]], words: Sequence[str], behind: Sequence[str]
) -> Place | None:
    """The speech whose words and those before it are most alike, if no other is almost as much."""
    near: Counter[int] = Counter()
    for word in set(words) if len(words) + len(behind) >= _FEWEST else ():
        near.update(with_word.get(word, ()))
    scores = []
    for number, _ in near.most_common(50):
        said = speeches[number]
        own = _share(words, said.words[: len(words)])
        beside = _share(behind, said.before[-len(behind) :]) if behind else own
        scores.append(((own + beside) / 2, number))
    scores.sort(reverse=True)
    if not scores or scores[0][0] < _ALIKE or (len(scores) > 1 and scores[0][0] - scores[1][0] < _CLEARLY):
        return None
    return speeches[scores[0][1]].place


def _share(wanted: Sequence[str], words: Sequence[str]) -> float:
    common = (Counter(wanted) & Counter(words)).total()
    return 2 * common / (len(wanted) + len(words) or 1)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
