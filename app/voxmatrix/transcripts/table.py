"""`metadata.csv`: one recording per line, fields separated by `|` (or tabs). Quotes are part of the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voxmatrix.transcripts.lines import Problem, TranscriptRow, identity, split_lines

#: Names of columns in a header, in order of preference.
FILE_WORDS = ("audio_filepath", "audio", "file", "file_name", "filename", "path", "wav", "id")
TEXT_WORDS = (
    *("normalized_text", "normalised_text", "normalized text", "normalised text", "normalized_transcription"),
    *("text", "transcript", "transcription", "sentence"),
)
SPEAKER_WORDS = ("speaker", "speaker_id", "speaker_name", "speaker id", "client_id")
_HEADER_WORDS = {*FILE_WORDS, *TEXT_WORDS, *SPEAKER_WORDS}
#: In `id|text|normalised text`, both texts share at least this fraction of their words.
SHARED_WORDS = 0.5
#: A speaker's name has at most this many words.
NAME_WORDS = 4


@dataclass(frozen=True)
class Columns:
    """The index of each field. `texts`: the first one that is not empty is the spoken text."""

    count: int
    file: int
    texts: tuple[int, ...]
    speaker: int | None = None


class _Line(NamedTuple):
    place: str
    fields: list[str]


def read_table(data: bytes, name: str) -> tuple[list[TranscriptRow], list[Problem]]:
    """Parse each line into a row or a problem."""
    problems: list[Problem] = []
    texts: list[tuple[str, str]] = []
    for place, text in split_lines(data, name):
        if isinstance(text, Problem):
            problems.append(text)
        else:
            texts.append((place, text))
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
    """The columns of a header line, or None if the line is not a header."""
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
    """The columns of a file without a header, guessed from the majority of its lines.

    Two fields: `file|text` (further `|` belong to the text). Three fields: `file|speaker|text`, or LJSpeech's
    `id|text|normalised text`. LJSpeech is assumed if, over all such lines, at least half of the words of the shorter
    of the last two fields also occur in the other one, or if the middle fields are sentences: a median of more than
    four words, and mostly unique. Otherwise the middle field is a speaker.
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
    if len(fields) > columns.count:  # the text, the last field, contains separators
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
        remedy="write every line as file|text or file|speaker|text",
    )
