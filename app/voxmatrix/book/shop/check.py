"""What a shop would refuse of files, whatever program made them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voxmatrix.book.shop.measure import Measured, measure_file
from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.progress import OnProgress
from voxmatrix.tables.shops import Shop

#: Extensions of the sound files of a folder.
EXTENSIONS = frozenset({"mp3", "m4b", "m4a", "mp4", "aac", "flac", "wav", "ogg", "opus"})
#: In the name of the file of the retail sample.
_SAMPLE = "sample"
#: What a book for a shop has beside its chapters, and how the names of such files are known.
_EXPECTED = {
    "opening credits": re.compile("open", re.IGNORECASE),
    "closing credits": re.compile("clos", re.IGNORECASE),
    "retail sample": re.compile(_SAMPLE, re.IGNORECASE),
}


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A line for which a shop would refuse a file."""

    file: Path
    #: format, constant-bit-rate, bit-rate, sample-rate, channels, chapters, length, rms, peak, floor, head or tail.
    what: str
    value: float | str
    least: float | None = None
    most: float | None = None
    problem: str

    def to_json(self) -> dict[str, Any]:
        """The values as JSON, with the name of the file."""
        return {**asdict(self), "file": self.file.name}


@dataclass(frozen=True, kw_only=True)
class Report:
    """What was measured, and what would be refused."""

    shop: Shop
    files: tuple[Measured, ...]
    refused: tuple[Refusal, ...]

    @property
    def missing(self) -> list[str]:
        """What several files lack, as far as their names tell."""
        names = [one.file.stem for one in self.files]
        return [what for what, name in _EXPECTED.items() if len(names) > 1 and not any(map(name.search, names))]

    def to_json(self) -> dict[str, Any]:
        """The values as JSON."""
        return {
            "target": self.shop.name,
            "files": [one.to_json() for one in self.files],
            "refused": [one.to_json() for one in self.refused],
        }


def check_files(paths: Sequence[Path], shop: Shop, on_progress: OnProgress = lambda done, total: None) -> Report:
    """Measure files, and compare them with what a shop takes.

    Raises:
        As `measure_file`.
    """
    measured: list[Measured] = []
    for number, path in enumerate(paths, start=1):
        measured.append(measure_file(path))
        on_progress(number, len(paths))
    refused = [one for file in measured for one in (*_form(file, measured[0], shop), *_figures(file, shop))]
    return Report(shop=shop, files=tuple(measured), refused=tuple(refused))


def sound_files(paths: Sequence[Path]) -> list[Path]:
    """The files, and the sound files of folders.

    Raises:
        BadInputError: a folder has none, or cannot be read.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        with read_errors(path):
            inside = sorted(one for one in path.iterdir() if one.suffix.lower().removeprefix(".") in EXTENSIONS)
        if not inside:
            raise BadInputError(f"{path} has no sound file", "give the folder of the audiobook")
        found += inside
    return found


def _form(file: Measured, first: Measured, shop: Shop) -> Iterator[Refusal]:
    """What kind of file it is, and whether it has as many channels as the first one."""
    if file.format != shop.format:
        problem = f"it is {file.format}, and {shop.title} takes {shop.format}"
        yield Refusal(file=file.file, what="format", value=file.format, problem=problem)
    if file.constant is False:
        problem = f"its bit rate varies, and {shop.title} takes a constant one"
        yield Refusal(file=file.file, what="constant-bit-rate", value="variable", problem=problem)
    if file.channels != first.channels:
        problem = f"its channels are {file.channels}, and those of {first.file.name} {first.channels}: all are alike"
        yield Refusal(file=file.file, what="channels", value=file.channels, problem=problem)


def _figures(file: Measured, shop: Shop) -> Iterator[Refusal]:
    """The figures that are beyond their limits."""
    title = shop.title
    for what, said, value, least, most, unit in _limits(file, shop):
        if value is None or ((least is None or value >= least) and (most is None or value <= most)):
            continue
        problem = f"{said} {value:g}{unit}, and {title} takes {_range(least, most)}{unit}"
        yield Refusal(file=file.file, what=what, value=value, least=least, most=most, problem=problem)


def _limits(file: Measured, shop: Shop) -> Iterator[tuple[str, str, float | None, float | None, float | None, str]]:
    """What it is called and how it is said, its value, the least and the most, and the unit."""
    yield "bit-rate", "its bit rate is", file.kbit, shop.least_kbit, None, " kbit/s"
    yield "sample-rate", "its sample rate is", file.rate_hz, shop.rate_hz, shop.rate_hz, " Hz"
    yield "chapters", "its chapters are", file.chapters, None, 1, ""
    if _SAMPLE in file.file.stem.lower():
        yield "length", "the retail sample lasts", round(file.seconds, 1), *shop.sample_seconds, " s"
    else:
        yield "length", "it lasts", round(file.seconds, 1), None, shop.most_seconds, " s"
    yield "rms", "its RMS level is", file.rms_db, *shop.rms_db, " dB"
    yield "peak", "its peak is", file.peak_db, None, shop.peak_db, " dB"
    yield "floor", "its noise floor is", file.floor_db, None, shop.floor_db, " dB"
    yield "head", "the silence before its first word lasts", file.head_seconds, *shop.head_seconds, " s"
    yield "tail", "the silence behind its last word lasts", file.tail_seconds, *shop.tail_seconds, " s"


def _range(least: float | None, most: float | None) -> str:
    if least is None:
        return f"at most {most:g}"
    if most is None:
        return f"at least {least:g}"
    return f"{least:g}" if least == most else f"{least:g} to {most:g}"
