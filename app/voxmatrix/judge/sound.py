"""Whether the speech of many sentences can be that of their texts, by its length, level and pauses. Needs no model."""

import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

import numpy as np

from voxmatrix.audio.loudness import FRAME_SECONDS, GATE_DB, frame_powers, level_of
from voxmatrix.audio.waves import Samples

#: Times as long or as short, for its characters, as the sentences around it: voices differ by less.
_MAX_PACE = 2.5
#: Counted with the characters of every sentence, so that short ones may last a little longer.
_EXTRA_CHARACTERS = 8
#: Seconds of speech for a character at the usual speed, the least and the most, with any voice: for a letter of an
#: alphabet, and for characters of scripts that write more with one, by the first word of their names in Unicode.
#: Measured with espeak-ng 1.52 in 35 languages (UDHR, article 1; letters a second): Latin 13 to 23, Cyrillic 12 to 19,
#: Greek 22, Arabic, Hebrew, Georgian and Armenian 11 to 15, Indic and Thai 8 to 11, Ethiopic 8, kana 9, Hangul 6,
#: Han 4 to 5; with the bundled voices 8 to 24 in sentences, and to 43 at a length scale of 0.5. Nothing of it is nearer
#: than 1.5 times to a bound.
_LETTER = (1 / 44, 1 / 3)
#: Voices of other languages read letters by their names: "Arabic letter alef".
_LETTER_WITH_NAME = (1 / 44, 1.2)
_CHARACTERS = {
    **dict.fromkeys(("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"), (1 / 20, 0.6)),
    **dict.fromkeys(("HANGUL", "ETHIOPIC", "YI", "CHEROKEE", "VAI", "CANADIAN"), (1 / 20, 0.8)),
    **dict.fromkeys(("CJK", "IDEOGRAPHIC"), (1 / 18, 1.0)),
}
#: Capitals may be spelled, and digits and symbols read in words by the voice itself, or not at all.
_CAPITAL, _DIGIT, _SYMBOL, _MARK = (1 / 44, 0.8), (1 / 44, 1.5), (0.0, 2.0), (0.0, 1 / 3)
#: A short text may last so much longer or shorter, but no sound of speech is shorter than two frames.
_LONGER_SECONDS, _SHORTER_SECONDS, _LEAST_SECONDS = 2.0, 0.01, 2 * FRAME_SECONDS
#: Of letters that are written several times (Nooooo!), so many have to be heard.
_MAX_ALIKE = 2
_MAX_LEVEL_DB = 12.0
_MAX_GAP_SECONDS = 2.0


class SpeechFacts(NamedTuple):
    """What is measured of a sentence."""

    seconds: float  # of speech, without its pauses
    level_dbfs: float  # -inf: it is silent
    gap_seconds: float  # the longest pause within


def measure(samples: Samples, rate_hz: int) -> SpeechFacts:
    """Measure the speech of a sentence."""
    power = frame_powers(samples, rate_hz)
    level, seconds = level_of(power)
    loud = np.flatnonzero(power > power.max(initial=0.0) * 10 ** (-GATE_DB / 10))
    gap = (np.diff(loud).max(initial=1) - 1) * FRAME_SECONDS
    return SpeechFacts(seconds, level, float(gap))


def improbable(text: str, facts: SpeechFacts, speed: float = 1.0) -> str:
    """Why speech cannot be that of its text in words, whatever the voice and the language; "" if it can be.

    Bounds for voices at any pace, that hold for a single sentence: it is silent, or far too short or too long.
    """
    if not np.isfinite(facts.level_dbfs):
        return "it is silent"
    least = sum(_bounds(character)[0] * min(len(list(run)), _MAX_ALIKE) for character, run in groupby(text))
    most = sum(_bounds(character)[1] for character in text)
    least = max(least / max(1.0, speed) - _SHORTER_SECONDS, _LEAST_SECONDS if least else 0.0)
    if facts.seconds < least:
        return f"it lasts {facts.seconds:.2f} s, too short for its text"
    if facts.seconds + facts.gap_seconds > (most + _LONGER_SECONDS) / min(1.0, speed):
        return f"it lasts {facts.seconds + facts.gap_seconds:.1f} s, too long for its text"
    return ""


@cache
def _bounds(character: str) -> tuple[float, float]:
    """The least and the most seconds that a character takes."""
    kind = unicodedata.category(character)
    if kind == "Lu":
        return _CAPITAL
    if kind == "Lm":  # as in phonemes
        return _MARK
    if kind[0] == "L":
        script = unicodedata.name(character, "").partition(" ")[0]
        return _LETTER if script == "LATIN" else _CHARACTERS.get(script, _LETTER_WITH_NAME)
    return {"N": _DIGIT, "S": _SYMBOL, "M": _MARK}.get(kind[0], (0.0, 0.0))


class Usual(NamedTuple):
    """What most sentences of one voice are like. Made by `usual`."""

    pace: float  # seconds for a character of its words
    level_dbfs: float

    def doubt(self, one: SpeechFacts, characters: int) -> str:
        """What is wrong with a sentence among others, given the characters of its words; "" if nothing is."""
        return _doubt(one, _pace(one, characters) / self.pace, one.level_dbfs - self.level_dbfs)


def usual(facts: Sequence[SpeechFacts], characters: Sequence[int]) -> Usual | None:
    """What is usual among sentences, given the characters of their words; None if all are silent."""
    paces = [_pace(one, count) for one, count in zip(facts, characters, strict=True) if one.seconds > 0]
    levels = [one.level_dbfs for one in facts if np.isfinite(one.level_dbfs)]
    return Usual(float(np.median(paces)), float(np.median(levels))) if paces and levels else None


def suspected_failures(facts: Sequence[SpeechFacts], characters: Sequence[int]) -> list[str]:
    """What is wrong with each sentence of many, given the characters of its words; "" if nothing is."""
    others = usual(facts, characters)
    if others is None:
        return ["it is silent"] * len(facts)
    return [others.doubt(one, count) for one, count in zip(facts, characters, strict=True)]


def _pace(one: SpeechFacts, characters: int) -> float:
    return one.seconds / (characters + _EXTRA_CHARACTERS)


def _doubt(one: SpeechFacts, pace: float, louder_db: float) -> str:
    if not np.isfinite(one.level_dbfs):
        return "it is silent"
    if not 1 / _MAX_PACE < pace < _MAX_PACE:
        return f"it lasts {one.seconds:.1f} s, {pace:.1f} times as long as others of its length"
    if abs(louder_db) > _MAX_LEVEL_DB:
        return f"it is {abs(louder_db):.0f} dB {'louder' if louder_db > 0 else 'quieter'} than others"
    if one.gap_seconds > _MAX_GAP_SECONDS:
        return f"it has a pause of {one.gap_seconds:.1f} s within"
    return ""
