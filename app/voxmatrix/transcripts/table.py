"""`metadata.csv`: fields between `|` (or tabs), one recording a line. Quotes are text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voxmatrix.transcripts.lines import split_lines
from voxmatrix.transcripts.problem import Problem
from voxmatrix.transcripts.recording_names import identity
from voxmatrix.transcripts.row import TranscriptRow

#: Words of a header, in the order of preference.
FILE_WORDS = ("audio_filepath", "audio", "file", "file_name", "filename", "path", "wav", "id")
TEXT_WORDS = (
    *("normalized_text", "normalised_text", "normalized text", "normalised text", "normalized_transcription"),
    *("text", "transcript", "transcription", "sentence"),
)
SPEAKER_WORDS = ("speaker", "speaker_id", "speaker_name", "speaker id", "client_id")
_HEADER_WORDS = {*FILE_WORDS, *TEXT_WORDS, *SPEAKER_WORDS}
#: `id|text|normalised text` shares at least this part of its words between both texts.
SHARED_WORDS = 0.5
#: More words than this is no speaker's name.
NAME_WORDS = 4


@dataclass(frozen=True)
class Columns:
    """Which field is what. `texts`: the first that is not empty is spoken."""

    count: int
    file: int
    texts: tuple[int, ...]
    speaker: int | None = None


class _Line(NamedTuple):
    place: str
    fields: list[str]


def read_table(data: bytes, name: str) -> tuple[list[TranscriptRow], list[Problem]]:
    """Every line as a row, or as a problem."""
    problems: list[Problem] = []
    texts: list[tuple[str, str]] = []
    for place, found in split_lines(data, name):
        if isinstance(found, Problem):
            problems.append(found)
        else:
            texts.append((place, found))
    separator = _separator([text for _, text in texts])
    lines = [_Line(place, [field.strip() for field in text.split(separator)]) for place, text in texts]
    columns = header_columns(lines[0].fields) if lines else None
    if columns:
        lines = lines[1:]
    else:
        columns = guess_columns([line.fields for line in lines])
    rows = []
    for line in lines:
        row = _row(line, columns, separator)
        if isinstance(row, Problem):
            problems.append(row)
        else:
            rows.append(row)
    return rows, problems


def header_columns(fields: Sequence[str]) -> Columns | None:
    """The columns that a first line names, or None when it is a recording like the others."""
    names = [field.lower() for field in fields]
    if len(names) < 2 or not set(names) <= _HEADER_WORDS or len(set(names)) != len(names):
        return None
    files, texts, speakers = (
        [names.index(word) for word in words if word in names] for words in (FILE_WORDS, TEXT_WORDS, SPEAKER_WORDS)
    )
    if not files or not texts:
        return None
    return Columns(len(names), files[0], tuple(texts), speakers[0] if speakers else None)


def guess_columns(lines: Sequence[Sequence[str]]) -> Columns:
    """The columns of a file without a header, by what most of its lines look like.

    Two fields: `file|text` (the text keeps every further `|`). Three: both `file|speaker|text` and LJSpeech's
    `id|text|normalised text` exist. It is LJSpeech's when, over all such lines, at least half of the words of the
    shorter of the two last fields stand in the other one as well, or when the middle fields are sentences: more than
    four words at the median and hardly any of them repeated. Otherwise the middle field is a speaker.
    """
    three = [fields for fields in lines if len(fields) >= 3]
    if len(three) * 2 <= len(lines):
        return Columns(2, 0, (1,))
    if _shared_words(three) >= SHARED_WORDS or _are_sentences([fields[1] for fields in three]):
        return Columns(3, 0, (2, 1))
    return Columns(3, 0, (2,), speaker=1)


def _shared_words(lines: Sequence[Sequence[str]]) -> float:
    shared = possible = 0
    for fields in lines:
        middle, last = (set(re.findall(r"\w+", field.lower())) for field in (fields[1], "|".join(fields[2:])))
        shared += len(middle & last)
        possible += min(len(middle), len(last)) if last else len(middle)
    return shared / possible if possible else 0.0


def _are_sentences(middles: Sequence[str]) -> bool:
    lengths = sorted(len(middle.split()) for middle in middles)
    return lengths[len(lengths) // 2] > NAME_WORDS and len(set(middles)) * 2 > len(middles)


def _separator(lines: Sequence[str]) -> str:
    if not any("|" in line for line in lines) and sum("\t" in line for line in lines) * 2 > len(lines):
        return "\t"
    return "|"


def _row(line: _Line, columns: Columns, separator: str) -> TranscriptRow | Problem:
    fields = line.fields
    if len(fields) > columns.count:  # a `|` in the text, which is last
        fields = [*fields[: columns.count - 1], separator.join(fields[columns.count - 1 :])]
    if len(fields) < 2 or len(fields) <= columns.file or (columns.speaker is not None and len(fields) < columns.count):
        return _bad_line(line, f"has {len(line.fields)} of {columns.count} fields", separator)
    if not fields[columns.file]:
        return _bad_line(line, "names no file", separator)
    return TranscriptRow(
        line=line.place,
        file=fields[columns.file],
        text=next((fields[index] for index in columns.texts if index < len(fields) and fields[index]), ""),
        speaker=(fields[columns.speaker] or None) if columns.speaker is not None else None,
    )


def _bad_line(line: _Line, what: str, separator: str) -> Problem:
    shown = separator.join(line.fields)
    return Problem(
        id=identity(line.fields[0])[:60],
        kind="bad-line",
        place=line.place,
        problem=f"the line {what}: {shown[:80]!r}",
        remedy="write file|text, or file|speaker|text in every line",
    )
