"""TextGrids of Praat, long and short (https://www.fon.hum.uva.nl/praat/manual/TextGrid_file_formats.html).

Both are the same values in the same order: quoted strings, flags and numbers that stand alone; the rest are comments.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.label import Label

_VALUE = re.compile(
    r'"((?:[^"]++|"")*+)"|(?<!\S)(<\w{1,20}>)(?!\S)|(?<!\S)(-?\d{1,20}(?:\.\d{0,20})?(?:[eE][-+]?\d{1,3})?)(?!\S)|![^\n]*'
)
#: What aligners write where nobody speaks.
_SILENCE = frozenset(("", "sil", "sp", "spn", "sp1", "<sil>", "<eps>", "<p:>", "#", "_", "pau"))
#: Names of tiers, as parts of what people and aligners call them: whole sentences are read first, single sounds never.
_SENTENCES = ("sentence", "utterance", "utt", "phrase", "transcri", "text", "ort", "line", "segment", "speech")
_WORDS = ("word", "wort", "mots", "palabra", "ort-mau", "token")
_SOUNDS = ("phon", "sound", "syll", "kan-mau", "sampa", "ipa", "tone", "tobi", "break")
#: Words with a longer pause between are of two labels.
_PAUSE_SECONDS = 0.3
#: The beginning of a TextGrid that is no text.
PRAATS_BINARY = b"ooBinaryFile"
_REMEDY = "save it again in Praat: Save, Save as text file"


class _Tier(NamedTuple):
    name: str
    labels: list[Label]


def read_textgrid(text: str, name: str) -> list[Label]:
    """The labels of the tier that has sentences, or else of the first one with words, which are joined up to a pause.

    Raises:
        BadInputError: it is no TextGrid in text, ends too early, or has no tier with words.
    """
    if text.startswith(PRAATS_BINARY.decode()):
        raise BadInputError(f"{name} is a binary TextGrid", _REMEDY)
    if text.startswith('"Praat chronological TextGrid'):
        raise BadInputError(f"{name} is a chronological TextGrid", _REMEDY)
    try:
        tiers = list(_tiers(_values(text)))
    except (StopIteration, RuntimeError, TypeError, ValueError, OverflowError) as error:
        raise BadInputError(f"{name} is no TextGrid, or ends too early", _REMEDY) from error
    spoken = [tier for tier in tiers if tier.labels and not _is_of(tier, _SOUNDS) and tier.name.lower() != "mau"]
    words = [tier for tier in spoken if _is_of(tier, _WORDS)]
    others = [tier for tier in spoken if tier not in words]
    sentences = [tier for tier in others if _is_of(tier, _SENTENCES)]
    if sentences or (others and not words):
        return (sentences or others)[0].labels
    if words:
        return _joined(words[0].labels)
    named = ", ".join(tier.name for tier in tiers[:9])
    raise BadInputError(
        f"{name} has no tier of intervals with words ({named or 'no tier at all'})", "add one called sentences"
    )


def _values(text: str) -> Iterator[str | float]:
    for match in _VALUE.finditer(text):
        if match[1] is not None:
            yield match[1].replace('""', '"')
        elif match[3] is not None:
            yield float(match[3])


def _tiers(values: Iterator[str | float]) -> Iterator[_Tier]:
    if next(values) != "ooTextFile" or next(values) != "TextGrid":
        raise ValueError("another object of Praat")
    _number(next(values)), _number(next(values))
    for _ in range(int(_number(next(values)))):
        kind, name = next(values), str(next(values))
        _number(next(values)), _number(next(values))
        count = int(_number(next(values)))
        labels = []
        for _ in range(count):
            times = [_number(next(values)) for _ in range(2 if kind == "IntervalTier" else 1)]
            said = next(values)
            if not isinstance(said, str):
                raise TypeError("a number in the place of a text")
            if len(times) == 2 and said.strip().lower() not in _SILENCE:
                labels.append(Label(times[0], times[1], said))
        yield _Tier(name, labels)


def _number(value: str | float) -> float:
    if isinstance(value, str):
        raise TypeError("a text in the place of a number")
    return value


def _is_of(tier: _Tier, names: Sequence[str]) -> bool:
    return any(part in tier.name.lower() for part in names)


def _joined(words: Sequence[Label]) -> list[Label]:
    joined: list[Label] = []
    for word in sorted(words, key=lambda one: one.start):
        if joined and word.start - joined[-1].end < _PAUSE_SECONDS:
            joined[-1] = Label(joined[-1].start, word.end, f"{joined[-1].text} {word.text}")
        else:
            joined.append(word)
    return joined
