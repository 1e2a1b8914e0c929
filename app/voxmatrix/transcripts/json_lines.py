"""JSON Lines: one object per recording, as written by NeMo, Hugging Face and others."""

import json
from collections.abc import Mapping
from typing import Any

from voxmatrix.transcripts.lines import Problem, TranscriptRow, split_lines
from voxmatrix.transcripts.table import FILE_WORDS, SPEAKER_WORDS, TEXT_WORDS


def read_json_lines(data: bytes, name: str) -> tuple[list[TranscriptRow], list[Problem]]:
    """Parse each line into a row or a problem."""
    rows: list[TranscriptRow] = []
    problems: list[Problem] = []
    for place, line in split_lines(data, name):
        row = line if isinstance(line, Problem) else _row(place, line)
        if isinstance(row, Problem):
            problems.append(row)
        else:
            rows.append(row)
    return rows, problems


def _row(place: str, line: str) -> TranscriptRow | Problem:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        return _bad_line(place, f"is not JSON ({str(error)[:80]})", line)
    if not isinstance(entry, dict):
        return _bad_line(place, "is not an object", line)
    file, text, speaker = (_first(entry, words) for words in (FILE_WORDS, TEXT_WORDS, SPEAKER_WORDS))
    if isinstance(file, int) and not isinstance(file, bool) and file == entry.get("id"):  # a numeric id: {"id": 7}
        file = str(file)
    if isinstance(file, dict):  # Hugging Face: {"audio": {"path": …}}
        file = file.get("path")
    fault = _fault(file, text, speaker, entry.get("offset"))
    if fault:
        return _bad_line(place, fault, line)
    speaker = "" if speaker is None else str(speaker).strip()
    return TranscriptRow(line=place, file=file.strip(), text=text or "", speaker=speaker or None)


def _fault(file: Any, text: Any, speaker: Any, offset: Any) -> str | None:
    if not isinstance(file, str) or not file.strip():
        return 'names no file ("audio", "file", "audio_filepath" or "id")'
    if not isinstance(text, str | None):
        return f"has a text that is not a string ({type(text).__name__})"
    if not isinstance(speaker, str | int | None):
        return f"has a speaker that is not a name ({type(speaker).__name__})"
    if offset:
        return f"starts at offset {str(offset)[:20]} s of a longer file, which must be split first"
    return None


def _first(entry: Mapping[str, Any], words: tuple[str, ...]) -> Any:
    return next((entry[word] for word in words if entry.get(word) is not None), None)


def _bad_line(place: str, what: str, line: str) -> Problem:
    return Problem(
        id=place,
        kind="bad-line",
        place=place,
        problem=f"the line {what}: {line[:80]!r}",
        remedy='write every line as {"audio": "name.wav", "text": "the spoken text"}',
    )
