"""The data set that long recordings become: `wavs/`, `metadata.csv`, `doubtful.csv`; `segments.json` has every part.

A line of doubtful.csv becomes one of the data set when it is moved to metadata.csv.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from voxmatrix.audio.long import LongRecording
from voxmatrix.errors import UsageError
from voxmatrix.files import digest, read_text_or_empty, replacing, storage_errors, write_text

METADATA, DOUBTFUL, REPORT = "metadata.csv", "doubtful.csv", "segments.json"
#: The first line of a table whose clips have speakers.
SPEAKER_HEADER = "file|speaker|text"
#: Reasons of clips that somebody may listen to, and correct their texts.
_HEARABLE = ("doubtful", "not-in-text", "two-speakers")
_NO_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A part of a recording: a clip of the data set, or what is left out of it."""

    recording: int  # its number
    start: float  # seconds
    end: float
    text: str = ""  # as it is spoken
    confidence: float = 0.0
    reason: str = ""  # why it is left out; "": it is not
    detail: str = ""
    speaker: str = ""
    file: str = ""  # relative to the data set; "": nothing was written
    faults: Sequence[Mapping[str, str]] = ()  # of its sound: kind, problem, remedy and severity

    @property
    def seconds(self) -> float:
        """Its duration."""
        return self.end - self.start


def check_output(out: Path) -> None:
    """Check that a data set may be written to the folder.

    Raises:
        UsageError: it is a file, or has files of something else, or texts that were corrected.
    """
    if out.is_file():
        raise UsageError(f"{out} is a file", "choose a folder (`out`)")
    if not out.is_dir() or not any(path.name != ".lock" for path in out.iterdir()):
        return
    written = _report(out)
    if not (out / ".segment").is_dir():
        raise UsageError(f"{out} contains something else", "choose another folder (`out`)")
    for name in (METADATA, DOUBTFUL):
        if written and (out / name).exists() and written["sha256"].get(name) != digest(out / name):
            raise UsageError(
                f"{out / name} was changed; writing it again would undo that",
                f"choose another folder (`out`), or delete {name} to have it written again",
            )


def write_output(out: Path, opened: Sequence[LongRecording], segments: Sequence[Segment]) -> list[Segment]:
    """Write all files, `segments.json` last, and return the segments with the names of their files.

    Raises:
        UnreachableError: the disk is full.
    """
    import soundfile

    named = list(_named(opened, segments))
    before = {one["file"] for one in (_report(out) or {"segments": ()})["segments"]}
    with storage_errors(out):
        (out / REPORT).unlink(missing_ok=True)
    for one in named:
        if one.file:
            recording, data = opened[one.recording], io.BytesIO()
            samples = recording.read(one.start, one.end)
            soundfile.write(data, samples, recording.rate_hz, format="WAV", subtype="PCM_16")
            with replacing(out / one.file) as file:
                file.write(data.getvalue())
    for name in filter(None, before - {one.file for one in named}):
        (out / name).unlink(missing_ok=True)
    write_text(out / METADATA, table([one for one in named if not one.reason]))
    write_text(out / DOUBTFUL, table([one for one in named if one.reason and one.file]))
    report = {
        "recordings": [{"path": str(one.path), "seconds": round(one.seconds, 3)} for one in opened],
        "sha256": {name: digest(out / name) for name in (METADATA, DOUBTFUL)},
        "segments": [_row(one) for one in named],
    }
    write_text(out / REPORT, json.dumps(report, ensure_ascii=False, indent=1) + "\n")
    return named


def _named(opened: Sequence[LongRecording], segments: Sequence[Segment]) -> Iterator[Segment]:
    stems: list[str] = []
    for recording in opened:
        stem = _NO_NAME.sub("_", recording.path.stem)
        stems.append(stem if stem not in stems else f"{stem}-{len(stems) + 1}")
    counts: Counter[int] = Counter()
    for one in segments:
        if one.reason and one.reason not in _HEARABLE:
            yield one
            continue
        counts[one.recording] += 1
        yield replace(one, file=f"wavs/{stems[one.recording]}-{counts[one.recording]:05}.wav")


def table(segments: Sequence[Segment]) -> str:
    """Lines of `file|text`, or of `file|speaker|text` with a header."""
    speakers = any(one.speaker for one in segments)
    lines = [SPEAKER_HEADER] if speakers else []
    for one in segments:
        text = " ".join(one.text.replace("|", ",").split())
        lines.append("|".join([Path(one.file).stem, *([one.speaker] if speakers else []), text]))
    return "".join(f"{line}\n" for line in lines)


def _row(one: Segment) -> dict[str, Any]:
    numbers = {"start": round(one.start, 3), "end": round(one.end, 3), "confidence": round(one.confidence, 3)}
    return {**asdict(one), **numbers}


def _report(out: Path) -> dict[str, Any] | None:
    try:
        return dict(json.loads(read_text_or_empty(out / REPORT)))
    except ValueError:
        return None
