"""Which words of a text are heard in its speech, by faster-whisper."""

import math
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError, MissingProgramError, UnreachableError
from voxmatrix.judge.spelling import words_of
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.wording import pluralise, summary

_RATE_HZ = 16_000
#: Names are often heard otherwise: so many words must be wrong, and such a part of all.
_MIN_ERRORS, _MAX_PART = 2, 0.34
#: Letters more or fewer in a place are words that are missing or too many: at an end, and within. Names that are heard
#: wrong differ by 3.
_LETTERS_AT_END, _LETTERS_WITHIN = 6, 8
#: Letters that a text has to share with what is heard. In wrong but possible words, 0.75 are; in another sentence, 0.4.
#: A word that is shorter than `_LETTERS_WITHIN` may have none: "Oh" and "Uh".
_LEAST_ALIKE = 0.55
#: The same words are written in several ways there, of which recognisers choose one: with kanji or kana, in traditional
#: or simplified characters, in Cyrillic or Latin letters.
_SEVERAL_SCRIPTS = frozenset(("ja", "zh", "cmn", "yue", "hak", "nan", "sr", "kk", "uz"))
#: Recognisers repeat themselves where there is no speech: text that gzip makes this many times as small.
_MAX_COMPRESSION = 2.4
#: Whisper's names of languages that espeak-ng names otherwise.
_WHISPERS = {"nb": "no", "cmn": "zh"}


class Heard(NamedTuple):
    """The words of a piece of speech, as the recogniser writes them."""

    text: str
    confidence: float  # 0..1, the mean probability of its parts of words; 0: there is no speech


class Recogniser:
    """A model of faster-whisper, for one language."""

    def __init__(self, model: str, language: str, threads: int = 0, *, download: bool = True) -> None:
        """`model` is a folder in CTranslate2's format, or a name that faster-whisper knows and may `download`.

        `threads` is 0 for all CPUs.

        Raises:
            MissingProgramError: faster-whisper is not installed.
            BadInputError: the model cannot be opened, or does not know the language.
            UnreachableError: it is not on this computer, and cannot be downloaded.
        """
        try:
            from faster_whisper import WhisperModel
        except ImportError as error:
            raise MissingProgramError("faster-whisper is not installed", 'pip install "voxmatrix[judge]"') from error
        self.name = model
        self._language = language
        try:
            self._model: Any = WhisperModel(
                model, device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=not download
            )
        except (OSError, RuntimeError, ValueError) as error:
            if isinstance(error, OSError) and not Path(model).exists():
                raise UnreachableError(
                    f"the model {model} is not on this computer, and cannot be downloaded: {summary(error)}",
                    "check the network, or set `judge` to a folder with the model (model.bin) of another computer",
                ) from error
            raise BadInputError(
                f"the model {model} cannot be opened: {summary(error)}",
                "choose a folder with model.bin, or a name such as base",
            ) from error

        code = language.partition("-")[0]
        self._code = _WHISPERS.get(code, code)
        if self._code not in self._model.supported_languages:
            raise BadInputError(
                f"the model {model} does not know the language {language!r}",
                "choose a model of many languages (a name without .en), or another `language`",
            )

    def doubt(self, text: str, heard: str, *, strict: bool = False) -> str:
        """What is wrong with the speech of a sentence in which this was heard; "" if its words are.

        `strict`: a single word that is missing, or too many, is wrong.
        """
        errors, count = word_errors(text, heard, self._language)
        if strict and (gaps := word_gaps(text, heard, self._language)):
            return f"{pluralise(gaps, 'word')} of {count} missing or too many; heard is: {heard}"
        if errors < _MIN_ERRORS or errors <= _MAX_PART * count:
            return ""
        return f"{errors} of its {count} words are not heard, but: {heard}"

    def missing(self, text: str, heard: str) -> str:
        """What is missing or too many in the speech of a text, by `missing_words`."""
        return missing_words(text, heard, self._language)

    def hear(self, samples: Samples, rate_hz: int) -> Heard:
        """The words of speech, at most some 30 seconds."""
        import soxr

        wave = soxr.resample(samples, rate_hz, _RATE_HZ)
        found, _ = self._model.transcribe(wave, language=self._code, beam_size=5, condition_on_previous_text=False)
        parts = list(found)
        tokens = sum(len(part.tokens) for part in parts)
        repeats = any(part.compression_ratio > _MAX_COMPRESSION for part in parts)
        if not tokens or repeats:
            return Heard("".join(part.text for part in parts).strip(), 0.0)
        mean = sum(part.avg_logprob * len(part.tokens) for part in parts) / tokens
        return Heard("".join(part.text for part in parts).strip(), math.exp(mean))


def missing_words(text: str, heard: str, language: str) -> str:
    """What a text has and its speech has not, or the other way round; "" if other words are only heard wrong.

    A recogniser writes names otherwise, in about as many letters; so letters are counted, and not words. Of languages
    in which it may write everything otherwise, only that nothing is heard is told.
    """
    said, found = (words_of(normalise(one, language), language) for one in (text, heard))
    letters, others = "".join(said), "".join(found)
    if others and language.partition("-")[0] in _SEVERAL_SCRIPTS:
        return ""
    is_long = bool(said) and max(len(letters), len(others)) >= _LETTERS_WITHIN
    if is_long and SequenceMatcher(None, letters, others, autojunk=False).ratio() < _LEAST_ALIKE:
        return f"other words are heard than those of its text: {heard or 'none'}"
    for begin, end, found_begin, found_end in _spans(said, found):
        one, other = said[begin:end], found[found_begin:found_end]
        more = len("".join(one)) - len("".join(other))
        at_an_end = begin == 0 or end == len(said)
        if abs(more) >= (_LETTERS_AT_END if at_an_end else _LETTERS_WITHIN):
            within = f"after {said[begin - 1]!r}" if end < len(said) else "at its end"
            where = within if begin else "at its beginning"
            if more > 0:
                return f"the words {' '.join(one)!r} of its text are not heard {where}"
            return f"the words {' '.join(other)!r} are heard {where}, and are not in its text"
    return ""


def word_errors(text: str, heard: str, language: str) -> tuple[int, int]:
    """Words of a text that are missing, added or others in what was heard, and how many words it has.

    How numbers and words are spelled is no difference, nor is a compound that is written apart.
    """
    said, differences = _compared(text, heard, language)
    return sum(max(len(one), len(other)) for one, other in differences), said


def word_gaps(text: str, heard: str, language: str) -> int:
    """Words of a text that are missing or too many in what was heard; those that are heard as others do not count."""
    return sum(abs(len(one) - len(other)) for one, other in _compared(text, heard, language)[1])


def _compared(text: str, heard: str, language: str) -> tuple[int, list[tuple[Sequence[str], Sequence[str]]]]:
    """How many words a text has, and where what was heard has others."""
    said, found = (words_of(normalise(one, language), language) for one in (text, heard))
    differences = [pair for pair in _differences(said, found) if "".join(pair[0]) != "".join(pair[1])]  # rose bush
    return len(said), differences


def _differences(said: Sequence[str], found: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Where both differ: the words of each."""
    for begin, end, found_begin, found_end in _spans(said, found):
        yield said[begin:end], found[found_begin:found_end]


def _spans(said: Sequence[str], found: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Where both differ, by an alignment with the fewest differences (Levenshtein), from the last one to the first."""
    rows = [list(range(len(found) + 1))]
    for number, word in enumerate(said, start=1):
        above, row = rows[-1], [number]
        for place, other in enumerate(found):
            row.append(min(above[place + 1] + 1, row[place] + 1, above[place] + (word != other)))
        rows.append(row)
    at, place = len(said), len(found)
    end, found_end = at, place
    while at or place:
        cost = rows[at][place]
        if at and place and said[at - 1] == found[place - 1] and rows[at - 1][place - 1] == cost:
            if (at, place) != (end, found_end):
                yield at, end, place, found_end
            at, place = at - 1, place - 1
            end, found_end = at, place
        elif at and place and rows[at - 1][place - 1] == cost - 1:
            at, place = at - 1, place - 1
        elif at and rows[at - 1][place] == cost - 1:
            at -= 1
        else:
            place -= 1
    if (end, found_end) != (0, 0):
        yield 0, end, 0, found_end
