"""Speech behind a dash, as Spanish, French, Polish and Swedish novels write it, and the narrator's words within it."""

import re
from collections.abc import Iterator

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.speech.language import SpeechOfLanguage

_DASH = r"--|[\u2014\u2013\u2015]"
#: Hyphens stand for dashes in old files: `-Luego tú -interrumpió ella-, no`.
_HYPHEN = rf"{_DASH}|(?<!\S)-(?=\s)|(?<![\w-])-(?=[\w\u00a1\u00bf])|(?<=[\w.!?\u2026,])-(?=[\s.,;:])"
_ANY = {False: re.compile(rf"\s*(?:{_DASH})\s*"), True: re.compile(rf"\s*(?:{_HYPHEN})\s*")}
#: French paragraphs begin with it where speech goes on, with or without a dash.
_AGAIN = r"\u00bb\s+"
#: At the beginning of a paragraph or a line, or behind a colon; before a capital, a sign or a number.
_OPENING = {
    hyphen: re.compile(rf"(?:\A|\n)[^\S\n]*(?:(?:{_AGAIN})?(?:{dash})\s*|{_AGAIN})(?=[^\s\-\u2014\u2013])")
    for hyphen, dash in ((False, _DASH), (True, _HYPHEN))
}
#: A number between dashes is a heading.
_NUMBER = lazy_pattern(r"\s*[IVXLCDM\d]+\W*(?:\n|\Z)")
_BEHIND_COLON = lazy_pattern(rf"(?<=:)\s*(?:{_DASH})\s*(?=[^\s\-\u2014\u2013])")
#: How much is looked at behind a dash.
_SEEN = 200


def opening(text: str, *, begins: bool, hyphens: bool = False) -> int | None:
    """Where a dash opens speech; None if none does.

    Args:
        text: of a paragraph.
        begins: whether the paragraph begins with it.
        hyphens: stand for dashes.
    """
    places = []
    for match in _OPENING[hyphens].finditer(text):
        if (match.start() or begins) and not (text[match.end()].islower() or _NUMBER.match(text, match.end())):
            places.append(match.start())
            break
    if (colon := _BEHIND_COLON.search(text)) is not None and not text[colon.end()].islower():
        places.append(colon.start())
    return min(places, default=None)


def turns(
    text: str, language: SpeechOfLanguage, *, speaking: bool, hyphens: bool = False
) -> Iterator[tuple[bool, int, int]]:
    """Who speaks from where to where: whether it is a character, else the narrator.

    Args:
        text: which began with a dash, or what follows of it.
        language: of the text.
        speaking: whether a character speaks where the text begins.
        hyphens: stand for dashes.
    """
    if language.narrates is None:
        yield from incises(text, language)
        return
    place, first = 0, len(text) - len(text.lstrip())
    for dash in _ANY[hyphens].finditer(text):
        if dash.start() <= first:
            continue  # the one that opens
        if not speaking or "\n" in dash[0]:
            yield speaking, place, dash.end()
            place, speaking = dash.end(), True
        elif _narrates(text, dash.end(), language.narrates):
            yield from incises(text, language, place, dash.start())
            place, speaking = dash.start(), False
    if speaking:
        yield from incises(text, language, place)
    else:
        yield False, place, len(text)


def incises(
    text: str, language: SpeechOfLanguage, start: int = 0, end: int | None = None
) -> Iterator[tuple[bool, int, int]]:
    """Speech with the narrator's words in it, such as `dit-il`, as `turns` has them."""
    end = len(text) if end is None else end
    place = start
    for match in language.incise.finditer(text, start, end) if language.incise else ():
        yield True, place, match.start("said")
        yield False, match.start("said"), match.end()
        place = match.end()
    yield True, place, end


def _narrates(text: str, place: int, words: re.Pattern[str]) -> bool:
    """Whether the words behind a dash are the narrator's; a name may be among them where they begin a sentence."""
    seen = text[place : place + _SEEN]
    return words.match(seen.lower() if seen[:1].isupper() else seen) is not None
