"""The JSON of Whisper's programs: openai-whisper, WhisperX and the server of OpenAI; whisper.cpp; transformers."""

import json
from collections.abc import Iterator
from typing import Any

from voxmatrix.transcripts.label import Label


def read_whisper(text: str) -> list[Label] | None:
    """A label for each segment; None if this is other JSON, or none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    parts = found if isinstance(found, list) else _parts(found)
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        return None
    labels = list(_labels(parts))
    return labels or None


def _parts(found: Any) -> Any:
    if not isinstance(found, dict):
        return None
    return next((found[key] for key in ("segments", "transcription", "chunks") if key in found), None)


def _labels(parts: list[dict[str, Any]]) -> Iterator[Label]:
    for part in parts:
        start, end = part.get("start"), part.get("end")
        offsets, stamp = part.get("offsets"), part.get("timestamp")
        if isinstance(offsets, dict):  # whisper.cpp, in milliseconds
            start, end = (_scaled(offsets.get(key)) for key in ("from", "to"))
        elif isinstance(stamp, list) and len(stamp) == 2:  # transformers
            start, end = stamp
        said = part.get("text")
        first, last = _number(start), _number(end)
        if first is not None and last is not None and isinstance(said, str):
            yield Label(first, last, said)


def _scaled(milliseconds: Any) -> float | None:
    number = _number(milliseconds)
    return None if number is None else number / 1000


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12
    return float(value) if is_number else None
