"""Clock times and durations: `5:05`, `17:30`, `8 p.m.`, `kl. 17.30`, `1:01:01`."""

import re

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import sentence_ends

_CLOCK = re.compile(
    r"(?<![\w:.,])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:]|\.\d)(?:\s?([ap])\.?m(\.?)(?!\w))?", re.IGNORECASE
)
_CLOCK_WITH_DOT = re.compile(
    r"(?<![\w.,])([01]?\d|2[0-4])\.([0-5]\d)(?!\d|[.:]\d)"
    r"(?:(?<=klockan \d\.\d\d)|(?<=klockan \d\d\.\d\d)|(?= (?:för|efter)middag))()()()"
)
_CLOCK_SPAN = re.compile(r"((?<=klockan )\d{1,2}[.:]\d\d)\s?[-\u2012]\s?(\d{1,2}[.:]\d\d)(?!\d|[.:]\d)")
_HOUR = re.compile(r"(?<![\w:.,])(1[0-2]|0?[1-9])\s?([ap])\.?m(\.?)(?!\w)", re.IGNORECASE)
_ZONE = re.compile(r"(?<=m )(?:([ECMP])\.?([SD])\.?(T)|(G)\.?(M)\.?(T)|(U)\.?(T)\.?(C))(?!\w)", re.IGNORECASE)


def say_times(text: str, language: Language) -> str:
    """`5:05` as `five oh five`; with seconds it is a duration: `one hour one minute and one second`."""

    def hour(match: re.Match[str]) -> str:
        return numbers.cardinal(str(int(match[1])), language) + _half(match[2], match[3], match)

    def span(match: re.Match[str]) -> str:
        return f"{match[1].replace('.', ':')} {language.words['to']} {match[2].replace('.', ':')}"

    text = _CLOCK_SPAN.sub(span, _HOUR.sub(hour, text))
    for pattern in (_CLOCK, _CLOCK_WITH_DOT):
        text = pattern.sub(lambda match: _time(match, language), text)
    return _ZONE.sub(lambda match: " ".join(letter.upper() for letter in match.groups() if letter), text)


def _time(match: re.Match[str], language: Language) -> str:
    hour, minute = int(match[1]), int(match[2])
    half = _half(match[4], match[5], match) if match[4] else ""
    spoken = numbers.cardinal(str(hour), language)
    if match[3] and not half:
        return _duration(hour, minute, int(match[3]), language)
    if minute == 0 and not match[3]:
        whole = language.words["oclock" if hour <= 12 else "hundred_hours"].format(hour=spoken)
        return f"{spoken}{half}" if half else whole
    oh = f"{language.words['oh']} " if minute < 10 else ""
    spoken = f"{spoken} {oh}{numbers.cardinal(str(minute), language)}"
    return f"{spoken} {numbers.cardinal(str(int(match[3])), language)}{half}" if match[3] else f"{spoken}{half}"


def _duration(hours: int, minutes: int, seconds: int, language: Language) -> str:
    spoken = [
        f"{numbers.cardinal(str(count), language, common=True)} {language.words[unit if count == 1 else unit + 's']}"
        for count, unit in ((hours, "hour"), (minutes, "minute"), (seconds, "second"))
    ]
    return f"{spoken[0]} {spoken[1]} {language.words['and']} {spoken[2]}"


def _half(letter: str, dot: str, match: re.Match[str]) -> str:
    """` a.m`, with a last dot only where a sentence ends."""
    return f" {letter.lower()}.m{'.' if dot and sentence_ends(match) else ''}"
