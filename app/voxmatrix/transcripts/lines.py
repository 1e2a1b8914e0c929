"""Lines of a transcript, the names of recordings, and problems with them.

It is UTF-8, or UTF-16 with a byte order mark, with any line ending; bad lines are reported.
"""

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voxmatrix import encoding
from voxmatrix.errors import BadInputError, Finding

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
    "quiet",  # too quiet, or quieter than the others
    "offset",  # DC
    "hum",  # of the mains
    "noisy",  # noise too near the speech
    "click",
    "one-channel",  # noise in the other channels; it is not used
    "narrow-band",  # a telephone
    "echo",
    "long-pause",  # within the speech
    "no-speech",  # seconds without speech at an end; they are cut off
    "cut-off",  # speech up to an end
    "wrong-rate",  # pitch and pace are those of another sample rate
    "other-speaker",
    "other-words",  # than those of the text are heard
    "not-spoken",  # parts of the text that nobody speaks: stage directions
    "markup",  # tags and entities in the text
    "other-language",  # than that of the set
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


UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BEGINNING_BYTES = 1000
#: First bytes of files that people take for texts.
_OTHER_FORMATS = (
    *((b"%PDF", "a PDF"), (b"PK\x03\x04", "an archive (as EPUB and DOCX are)"), (b"{\\rtf", "RTF")),
    *((b"\xd0\xcf\x11\xe0", "a document of an old Word"), (b"\x1f\x8b", "compressed (gzip)")),
)


def decode(data: bytes) -> str:
    """Text in UTF-8, or in UTF-16 with a byte order mark.

    Raises:
        UnicodeDecodeError: it is not UTF-8.
    """
    return data.decode("utf-16", "replace") if data.startswith(UTF16_MARKS) else data.decode("utf-8-sig")


def check_text(
    data: bytes, name: str | Path, remedy: str = "choose a text file in UTF-8 (file|text on every line)"
) -> None:
    """Check that the content of a file, or its beginning, is a text: each line of another file would be a problem.

    A damaged text may have a null byte in a line; a sound, an archive or a picture begins with several.

    Raises:
        BadInputError: it is not.
    """
    beginning = data[:_BEGINNING_BYTES]
    other = next((what for start, what in _OTHER_FORMATS if beginning.startswith(start)), "")
    if not other and beginning.count(b"\0") > beginning.count(b"\n") + 2 and not data.startswith(UTF16_MARKS):
        other = "binary, with null bytes"
    if other:
        raise BadInputError(f"{name} is not a text: it is {other}", remedy)


def split_lines(data: bytes, name: str) -> Iterator[tuple[str, str | Problem]]:
    """Each line that is not blank as ("metadata.csv:12", text), with a problem instead of a text that is not UTF-8."""
    if data.startswith(UTF16_MARKS):
        data = data.decode("utf-16", "replace").encode("utf-8")
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    for number, part in enumerate(data.split(b"\n"), start=1):
        raw = part.removesuffix(b"\r")
        place = f"{name}:{number}"
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            yield place, not_utf8_problem(place, raw, error)
            continue
        if line.strip():
            yield place, line


def not_utf8_problem(place: str, raw: bytes, error: UnicodeDecodeError, name: str = "") -> Problem:
    """The problem for a line that is not UTF-8; its id is `name`, or else what is readable of its first field."""
    shown = name or raw.split(b"|")[0].split(b"\t")[0][:60].decode("utf-8", "replace").strip()
    return Problem(
        id=identity(shown),
        kind="bad-encoding",
        place=place,
        problem=encoding.not_utf8(error),
        remedy=f"convert it: iconv -f cp1252 -t utf-8 {place.partition(':')[0]} > NEW.txt",
    )


def readable(text: str) -> str:
    """`text` with lone surrogates replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")
