"""In which order several recordings read one text: as they are named, or else where the words of each are found."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from voxmatrix.dataset.segment.align import letters
from voxmatrix.dataset.segment.texts import Script, Told, told
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.words import tokens
from voxmatrix.transcripts.natural_order import natural_order

#: Words that a text has more often say nothing of the place.
_MOST_PLACES = 50
#: So many words around those of a recording are searched as well, and this part of their number.
_MARGIN_WORDS, _MARGIN_PART = 12, 0.5

Heard = Sequence[tuple[str, float]]


def told_in_any_order(heard: Sequence[Heard], names: Sequence[str], script: Script, language: str) -> list[list[Told]]:
    """The texts of the clips of each recording, given what was heard in them and the names of the files.

    The order that is given is tried first, then that of the places where their words are found in the text, and at last
    each recording by itself, as several takes of one sentence have no order. The one with the most clips is taken.
    """
    best = _told(heard, range(len(heard)), script, language)
    if len(heard) < 2 or _used(best) == _possible(best):
        return best
    places = _places(heard, script, language)
    order = sorted(range(len(heard)), key=lambda number: (places[number][0], natural_order(names[number])))
    tries = [_told(heard, order, script, language)] if order != list(range(len(heard))) else []
    if not tries or _used(tries[0]) < _possible(tries[0]):
        tries.append([told(some, script.part(*place), language) for some, place in zip(heard, places, strict=True)])
    for other in tries:
        best = other if _used(other) > _used(best) else best
    return best


def _told(heard: Sequence[Heard], order: Sequence[int], script: Script, language: str) -> list[list[Told]]:
    together = iter(told([one for number in order for one in heard[number]], script, language))
    found = {number: [next(together) for _ in heard[number]] for number in order}
    return [found[number] for number in range(len(heard))]


def _used(found: Sequence[Sequence[Told]]) -> int:
    return sum(not one.reason for some in found for one in some)


def _possible(found: Sequence[Sequence[Told]]) -> int:
    return sum(one.reason != "nothing-heard" for some in found for one in some)


def _places(heard: Sequence[Heard], script: Script, language: str) -> list[tuple[int, int]]:
    """Where in the text the words of each recording are: the first and the last word to be searched.

    Each word votes for where the recording would begin by each place of that word; rare words have most to say.
    """
    where: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(script.words):
        where[letters(word)].append(place)
    places = []
    for some in heard:
        said = [letters(word) for text, _ in some for word in tokens(normalise(text, language))]
        margin = _MARGIN_WORDS + round(_MARGIN_PART * len(said))
        votes: Counter[int] = Counter()
        for number, word in enumerate(said):
            found = where.get(word, ()) if word else ()
            for place in found if len(found) <= _MOST_PLACES else ():
                votes[(place - number) // margin] += 1 / len(found)  # type: ignore[assignment]
        both = {block: votes[block] + votes[block + 1] for block in [*votes, *(block - 1 for block in votes)]}
        begin = max(both, key=lambda block: (both[block], -block), default=0) * margin
        places.append(_precise(said, where, begin, margin))
    return places


def _precise(said: Sequence[str], where: dict[str, list[int]], begin: int, margin: int) -> tuple[int, int]:
    """The place of most votes within two margins of `begin`, with what is around it."""
    votes = Counter(
        place - number
        for number, word in enumerate(said)
        for place in where.get(word, ())
        if begin <= place - number < begin + 2 * margin and word
    )
    first = votes.most_common(1)[0][0] if votes else begin
    return first - margin, first + len(said) + margin
