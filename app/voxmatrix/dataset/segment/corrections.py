"""What somebody who listens decides: the text of a clip, and whether it is one of the data set.

The tables are the truth, also if they were edited by hand: a clip of `metadata.csv` is used, one of `doubtful.csv` may
be, and one of neither was dropped.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from voxmatrix.dataset.segment.output import DOUBTFUL, METADATA, REPORT, SPEAKER_HEADER, Segment, table
from voxmatrix.errors import BadInputError
from voxmatrix.files import read_text_or_empty, write_text

#: Why each part is left out, by its word in segments.json.
REASONS = {
    "silence": "silence",
    "no-speech": "music or noise, nobody speaks",
    "noise": "music or noise behind the words, or between them",
    "no-label": "speech outside of the times of the texts",
    "too-short": "less than 2 s between long pauses",
    "no-pause": "more than 12 s without a pause",
    "nothing-heard": "no words were heard",
    "not-in-text": "its words are not in the text",
    "doubtful": "its words are not sure",
    "two-speakers": "two voices in one clip",
    "dropped": "dropped by hand",
}


def summary(segments: Sequence[Segment]) -> dict[str, Any]:
    """How much is used, and how much is left out for which reason, in seconds."""
    kept = [one for one in segments if not one.reason]
    left_out: defaultdict[str, float] = defaultdict(float)
    for one in segments:
        if one.reason:
            left_out[one.reason] += one.seconds
    return {
        "clips": len(kept),
        "seconds": round(sum(one.seconds for one in kept), 3),
        "speakers": sorted({one.speaker for one in kept if one.speaker}, key=lambda name: (len(name), name)),
        "left_out": {reason: round(seconds, 3) for reason, seconds in left_out.items()},
    }


def read_segments(out: Path) -> list[Segment]:
    """All parts of the recordings, as the tables have them now.

    Raises:
        BadInputError: the folder has no data set that `segment` has written.
    """
    known = {field.name for field in fields(Segment)}
    try:
        rows = json.loads(read_text_or_empty(out / REPORT))["segments"]
        found = [Segment(**{name: value for name, value in row.items() if name in known}) for row in rows]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadInputError(f"{out / REPORT} is missing or damaged", "cut the recordings again") from error
    used, doubtful = (dict(_lines(out / name)) for name in (METADATA, DOUBTFUL))
    return [_decided(one, used, doubtful) if one.file else one for one in found]


def correct(out: Path, segments: Sequence[Segment], number: int, text: str, *, kept: bool) -> list[Segment]:
    """Give the clip of this number its text, and use it or drop it; all parts then.

    Raises:
        BadInputError: it is to be used, but has no text.
        UnreachableError: the disk is full.
    """
    if kept and not any(character.isalnum() for character in text):
        raise BadInputError("the text of the clip is empty", "write what is said in it, or drop the clip")
    clips = [one for one in segments if one.file]
    place = clips.index(segments[number])
    clips[place] = replace(clips[place], text=text, reason="" if kept else "dropped")
    # If the process dies in between, the clip is in both, and used.
    write_text(out / METADATA, table([one for one in clips if not one.reason]))
    write_text(out / DOUBTFUL, table([one for one in clips if one.reason not in ("", "dropped")]))
    return read_segments(out)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Names of clips with their texts."""
    for line in read_text_or_empty(path).splitlines():
        name, *others = line.split("|")
        if others and line != SPEAKER_HEADER:
            yield name, others[-1]


def _decided(one: Segment, used: dict[str, str], doubtful: dict[str, str]) -> Segment:
    name = Path(one.file).stem
    if name in used:
        return replace(one, text=used[name], reason="")
    if name in doubtful:
        return replace(one, text=doubtful[name], reason=one.reason or "doubtful")
    return replace(one, reason="dropped")
