"""Lines of a transcript, the names of recordings, and problems with them."""

import os
from dataclasses import dataclass
from typing import Literal

from voxmatrix.errors import Finding

#: Read by soundfile, most likely first: an id without an extension (`id|text`) takes the first file that exists.
SOUND_SUFFIXES = (
    *(".wav", ".flac", ".ogg", ".opus", ".mp3", ".oga", ".aiff", ".aif", ".aifc", ".au", ".snd", ".caf", ".w64"),
    *(".rf64", ".wave", ".voc", ".sph", ".nist"),
)
#: Sound that soundfile cannot read: ffmpeg decodes it.
OTHER_SUFFIXES = (".m4a", ".aac", ".mp4", ".wma", ".webm", ".amr", ".mka", ".mpeg", ".3gp")
SUFFIXES = frozenset((*SOUND_SUFFIXES, *OTHER_SUFFIXES))


def suffix_of(name: str) -> str:
    """The extension of a file name in lower case, with its dot."""
    return os.path.splitext(name)[1].lower()  # noqa: PTH122  takes a third of pathlib's time, per recording


def identity(relative: str) -> str:
    """The id of a recording: its path relative to the folder, without the extension."""
    return relative.rpartition(".")[0] if suffix_of(relative) in SUFFIXES else relative


#: Stable names, used in `--json` and in the report: never rename them.
ProblemKind = Literal[
    "bad-line",  # a line of the metadata that cannot be parsed
    "bad-encoding",  # a transcript that is not UTF-8
    "control-characters",  # in the text; replaced by spaces
    "outside",  # a path that leaves the folder of recordings
    "missing",  # the file does not exist
    "no-transcript",  # a recording without a text
    "unreadable",  # not audio, damaged or truncated
    "not-finite",  # NaN or infinite samples
    "silent",
    "clipped",
    "too-short",  # shorter than one training segment
    "too-long",
    "low-rate",  # a lower sample rate than the voice's: upsampled
    "empty-text",
    "unpronounceable",  # the front end finds no phonemes
    "unknown-symbols",  # phonemes without an id in the voice
    "too-many-phonemes",
    "text-does-not-fit",  # an implausible number of characters per second
    "duplicate-id",
    "duplicate-audio",
    "no-speaker",  # no speaker, where other recordings have one
]


@dataclass(frozen=True, kw_only=True)
class Problem(Finding):
    """A finding about one recording. Severity error: the recording is excluded; warning: it is used anyway."""

    id: str
    kind: ProblemKind
    path: str = ""  # as written in the transcript, or relative to the folder
    place: str = ""  # e.g. "metadata.csv:12"

    @property
    def recording(self) -> tuple[str, str]:
        """What identifies the recording: ids may occur twice."""
        return self.place, self.path


@dataclass(frozen=True, kw_only=True)
class TranscriptRow:
    """A parsed line, before any check of its file and text."""

    line: str  # e.g. "metadata.csv:12"
    file: str
    text: str
    speaker: str | None = None
