"""What is wrong with one recording: a finding that names it."""

from dataclasses import dataclass
from typing import Literal

from voxmatrix.errors import Finding

#: Stable names of what can be wrong; `--json` and the report carry them, so they are never renamed.
ProblemKind = Literal[
    "bad-line",  # a line of the metadata that cannot be read
    "bad-encoding",  # a transcript that is not UTF-8
    "control-characters",  # in the text; read as spaces
    "outside",  # a path that leaves the folder of recordings
    "missing",  # the file is not there
    "no-transcript",  # a recording beside which no text stands
    "unreadable",  # not audio, damaged, truncated
    "not-finite",  # NaN or infinite samples
    "silent",
    "clipped",
    "too-short",  # shorter than one training segment
    "too-long",
    "low-rate",  # lower rate than the voice: upsampled
    "empty-text",
    "unpronounceable",  # the front end finds no phonemes
    "unknown-symbols",  # phonemes that the voice has no id for
    "too-many-phonemes",
    "text-does-not-fit",  # characters per second far from the others'
    "duplicate-id",
    "duplicate-audio",
    "no-speaker",  # a recording without speaker among recordings with one
]


@dataclass(frozen=True, kw_only=True)
class Problem(Finding):
    """A finding about one recording. Severity error: it was left out; warning: it is used all the same."""

    id: str
    kind: ProblemKind
    path: str = ""  # as written in the transcript, or relative to the folder
    place: str = ""  # where it came from, e.g. "metadata.csv:12"
