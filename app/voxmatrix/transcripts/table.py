"""Tables of recordings: one per line, the fields separated by `|`, tabs, semicolons or commas.

Between `|` and tabs, quotes are part of the text, unless every line begins with one. Semicolons and commas are those of
spreadsheets: a field in quotes may contain them.
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voxmatrix.errors import BadInputError
from voxmatrix.tables.headers import header_words
from voxmatrix.transcripts.lines import SUFFIXES, Problem, TranscriptRow, identity, split_lines, suffix_of

#: Names of columns in a header, in order of preference.
FILE_WORDS, TEXT_WORDS, SPEAKER_WORDS = map(header_words, ("file", "text", "speaker"))
#: Of the columns beside these, names that no text consists of.
_OTHER_WORDS = ("duration", "language", "locale", "gender", "emotion_name", "wav_filesize", "sentence_id")
_SEPARATORS = "|\t;,"
#: In `id|text|normalised text`, both texts share at least this fraction of their words.
MIN_SHARED = 0.5
#: A speaker's name has at most this many words.
MAX_NAME_WORDS = 4
#: In this many lines, names repeat and texts do not.
MIN_LINES = 8
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|\w+")
_NUMBER = re.compile(r"[\d\s.,:+-]*\d[\d\s.,:+-]*")
_LANGUAGE = re.compile(r"([a-z]{2}|[A-Z]{2})([-_][A-Za-z]{2})?")
_SENTENCE_MARK = re.compile(r"[.!?…]$")


@dataclass(frozen=True)
class Columns:
    """The index of each field. `texts`: the first one that is not empty is the spoken text."""

    count: int
    file: int
    texts: tuple[int, ...]
    speaker: int | None = None


class _Line(NamedTuple):
    place: str
    text: str


def read_table(data: bytes, name: str) -> tuple[list[TranscriptRow], list[Problem]]:
    """Parse each line into a row or a problem.

    Raises:
        BadInputError: which column is the text, or the speaker, cannot be told.
    """
    problems: list[Problem] = []
    lines: list[_Line] = []
    for place, text in split_lines(data, name):
        if isinstance(text, Problem):
            problems.append(text)
        else:
            lines.append(_Line(place, text))
    if not lines:
        return [], problems
    texts = [line.text for line in lines]
    separator = _separator(texts)
    quoted = separator in ";," or all(text.lstrip().startswith('"') for text in texts)
    columns = header_columns([field.strip() for field in _fields(texts[0], separator, quoted) or ()], name)
    if columns:
        lines = lines[1:]
    else:
        found = [fields for text in texts if (fields := _fields(text, separator, quoted))]
        columns = guess_columns([[field.strip() for field in fields] for fields in found], name, separator)
    rows = []
    for line in lines:
        row = _row(line, columns, separator, quoted)
        if isinstance(row, Problem):
            problems.append(row)
        else:
            rows.append(row)
    return rows, problems


def header_columns(fields: Sequence[str], name: str = "the table") -> Columns | None:
    """The columns that a header names, or None if the line is not a header. Columns of other names are left out.

    Raises:
        BadInputError: the header names no column for the files or the texts, or one twice.
    """
    names = [_header_name(field) for field in fields]
    kinds = (FILE_WORDS, TEXT_WORDS, SPEAKER_WORDS, _OTHER_WORDS)
    files, texts, speakers, others = ([names.index(word) for word in words if word in names] for words in kinds)
    if sum(map(bool, (files, texts, speakers, others))) < 2:
        return None
    for wanted, found in (("file", files), ("text", texts)):
        if not found:
            raise BadInputError(
                f"{name}: its first line names the columns {', '.join(names)}, but none is the {wanted}",
                f"call the column of the {wanted}s {wanted!r} in the first line",
            )
    twice = [word for word, number in Counter(names).items() if number > 1 and any(word in words for words in kinds)]
    if twice:
        raise BadInputError(
            f"{name}: its first line names two columns {twice[0]!r}", "give one of them another name in the first line"
        )
    return Columns(len(names), files[0], tuple(texts), speakers[0] if speakers else None)


def guess_columns(lines: Sequence[Sequence[str]], name: str = "the table", separator: str = "|") -> Columns:
    """The columns of a table without a header, by what most of its lines contain. The first one is the file.

    Two columns are `file|text`. Of three or more, numbers and short values that repeat are no text. There must be one
    text left, or LJSpeech's two, `id|text|normalised text`, which share at least half of their words. A column of names
    that differ is the speaker. `file|speaker|language|text` may have further columns (Bert-VITS2, GPT-SoVITS).

    Raises:
        BadInputError: several columns could be the text or the speaker, or none could be the text.
    """
    count = max(2, Counter(len(fields) for fields in lines).most_common(1)[0][0]) if lines else 2
    values = [[fields[index] for fields in lines if len(fields) > index and fields[index]] for index in range(count)]
    if count == 2:
        if len(values[1]) >= MIN_LINES and (
            _all(_NUMBER, values[1]) or (_repeats(values[1]) and _are_names(values[1]))
        ):
            raise _unclear(name, separator, values, "no column looks like the text")
        return Columns(2, 0, (1,))
    texts = _texts(values)
    if texts[:1] == [3] and _all(_LANGUAGE, values[2]) and (texts == [3] or _are_phonemes(values[4:])):
        return Columns(count, 0, (3,), speaker=1)
    if not texts:
        raise _unclear(name, separator, values, "no column looks like the text")
    if len(texts) > 1 and not all(_share_words(lines, texts[0], other) for other in texts[1:]):
        raise _unclear(name, separator, values, "several columns could be the text")
    return Columns(count, 0, tuple(reversed(texts)), _speaker(values, texts, name, separator))


def _texts(values: Sequence[Sequence[str]]) -> list[int]:
    """The columns that may be texts."""
    texts = [
        index
        for index in range(1, len(values))
        if values[index] and not _all(_NUMBER, values[index]) and not _is_label(values[index])
    ]
    if len(texts) > 1 and len(values[0]) < MIN_LINES:  # too few lines for names to repeat
        return [index for index in texts if not _are_names(values[index])] or texts
    return texts


def _are_phonemes(values: Sequence[Sequence[str]]) -> bool:
    """Whether the columns behind a text are those of Bert-VITS2: phonemes, their tones, their number by word."""
    return len(values) == 3 and _all(_NUMBER, values[1]) and _all(_NUMBER, values[2])


def _speaker(values: Sequence[Sequence[str]], texts: Sequence[int], name: str, separator: str) -> int | None:
    """The column of names, or of numbers in the place of VITS's (`file|12|text`)."""
    speakers = []
    for index in range(1, len(values)):
        column, different = values[index], len(set(values[index]))
        if index in texts or not column or (different == 1 and (_all(_LANGUAGE, column) or _all(_NUMBER, column))):
            continue
        numbers = _all(_NUMBER, column)
        if numbers and (different * 2 > len(column) >= MIN_LINES or not all(value.isdecimal() for value in column)):
            continue  # lengths or counts
        if _all(_LANGUAGE, column) or (numbers and index > texts[0]):
            raise _unclear(name, separator, values, f"whether column {index + 1} is the speaker cannot be told")
        speakers.append(index)
    several = [index for index in speakers if len(set(values[index])) > 1] or speakers
    if len(several) > 1:
        raise _unclear(name, separator, values, "several columns could be the speaker")
    return several[0] if several else None


def _is_label(values: Sequence[str]) -> bool:
    """Whether these are names that repeat, or hardly any different values."""
    return len(values) >= MIN_LINES and _repeats(values) and (_is_short(values) or len(set(values)) * 8 <= len(values))


def _repeats(values: Sequence[str]) -> bool:
    return len(set(values)) * 2 <= len(values)


def _is_short(values: Sequence[str]) -> bool:
    lengths = sorted(len(_WORD.findall(value)) for value in values)
    return lengths[len(lengths) // 2] <= MAX_NAME_WORDS


def _are_names(values: Sequence[str]) -> bool:
    """Whether these look like names: a few words in letters that have capitals, and no sentence among them."""
    return _is_short(values) and not any(
        _SENTENCE_MARK.search(value) or value.lower() == value.upper() for value in values
    )


def _all(pattern: re.Pattern[str], values: Sequence[str]) -> bool:
    return bool(values) and all(pattern.fullmatch(value) for value in values)


def _share_words(lines: Sequence[Sequence[str]], first: int, second: int) -> bool:
    """Whether at least half of the words of the shorter of two columns also occur in the other one."""
    shared = possible = 0
    for fields in lines:
        if len(fields) > max(first, second) and fields[first] and fields[second]:
            one, other = (set(_WORD.findall(fields[index].lower())) for index in (first, second))
            shared += len(one & other)
            possible += min(len(one), len(other))
    return shared >= MIN_SHARED * possible


def _unclear(name: str, separator: str, values: Sequence[Sequence[str]], what: str) -> BadInputError:
    seen = "; ".join(f"column {number} has {_examples(column)}" for number, column in enumerate(values, start=1))
    header = (["file", "text", "speaker"] + ["other"] * len(values))[: len(values)]
    return BadInputError(
        f"{name}: {what}: {seen}",
        f"add a first line that names the columns, in their order, e.g. {separator.join(header)}",
    )


def _examples(values: Sequence[str]) -> str:
    shown = [value if len(value) <= 30 else value[:29] + "…" for value in dict.fromkeys(values)]
    return ", ".join(map(repr, shown[:2])) + (" …" if len(shown) > 2 else "") if shown else "nothing"


def _separator(lines: Sequence[str]) -> str:
    """That of the header, else the one in most lines; a comma or semicolon only behind what may be a file."""
    for separator in _SEPARATORS:
        names = {_header_name(field) for field in _fields(lines[0], separator, quoted=True) or ()}
        if names & set(FILE_WORDS) and names & set(TEXT_WORDS):
            return separator
    for separator in _SEPARATORS:
        firsts = [line.split(separator, 1)[0].strip() for line in lines if separator in line]
        files = [first for first in firsts if separator in "|\t" or _may_be_file(first)]
        if len(files) * 2 > len(lines):
            return separator
    return "|"


def _header_name(field: str) -> str:
    """`Speaker ID` and `speaker-id` as `speaker_id`."""
    return re.sub(r"[\s-]+", "_", field.strip().lower())


def _may_be_file(field: str) -> bool:
    field = field.strip('"')
    return suffix_of(field) in SUFFIXES or (bool(field) and not any(char.isspace() for char in field))


def _fields(line: str, separator: str, quoted: bool, count: int = 0) -> list[str] | None:
    """The fields of a line, at most `count` where the last may contain separators; None where quotes do not match."""
    if not (quoted and '"' in line):
        return line.split(separator, count - 1)
    try:
        return next(csv.reader([line], delimiter=separator, strict=True, skipinitialspace=True))
    except csv.Error:
        return None


def _row(line: _Line, columns: Columns, separator: str, quoted: bool) -> TranscriptRow | Problem:
    rest_is_text = columns.texts == (columns.count - 1,)
    fields = _fields(line.text, separator, quoted, columns.count if rest_is_text else 0)
    if fields is None:
        return _bad_line(line, 'has a quote without its other half (write "" for a quote in the text)', separator)
    fields = [field.strip() for field in fields]
    least = columns.count if columns.speaker is not None else max(2, columns.file + 1)
    if not least <= len(fields) <= columns.count:
        return _bad_line(line, f"has {len(fields)} of {columns.count} fields", separator)
    if not fields[columns.file]:
        return _bad_line(line, "names no file", separator)
    return TranscriptRow(
        line=line.place,
        file=fields[columns.file],
        text=next((fields[index] for index in columns.texts if index < len(fields) and fields[index]), ""),
        speaker=(fields[columns.speaker] or None) if columns.speaker is not None else None,
    )


def _bad_line(line: _Line, what: str, separator: str) -> Problem:
    return Problem(
        id=identity(line.text.split(separator)[0].strip())[:60],
        kind="bad-line",
        place=line.place,
        problem=f"the line {what}: {line.text[:80]!r}",
        remedy=f"write every line as file{separator}text or file{separator}speaker{separator}text",
    )
