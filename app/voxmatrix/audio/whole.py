"""The one reader of sound files: all of a file is read, or it is said why not.

libsndfile reads a file first. What it says of its length is compared with the file: one that was joined from several is
read piece by piece, and where libsndfile cannot go on, ffmpeg has the second opinion.
"""

import io
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from voxmatrix.audio.checks import AudioError, DecodingStoppedError, is_text, plain_reason, unreadable
from voxmatrix.audio.formats import WAV, SoundFormat, format_of
from voxmatrix.audio.pieces import beginnings, has_no_length, header_frames, may_have_more
from voxmatrix.errors import BadInputError, MissingProgramError

if TYPE_CHECKING:
    import soundfile

T = TypeVar("T")
#: Two decoders agree on a length within this: they differ in what they skip at both ends.
_SAME_SECONDS = 0.1
_START_BYTES = 200


class _SeekingFile(io.FileIO):
    """A file in which a damaged header may send libsndfile anywhere: an exception could not leave its callback."""

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move to `offset`, or stay where that is no place."""
        with suppress(OSError, OverflowError):
            return super().seek(offset, whence)
        return self.tell()


@dataclass
class _Opinion(Generic[T]):
    """What libsndfile made of a file: what was read, or why it was not."""

    result: T | None = None
    failure: AudioError | None = None
    may_have_more: bool = False
    seconds: float = 0.0  # as the header says
    has_length: bool = True


def read_whole(
    path: Path,
    use: "Callable[[soundfile.SoundFile], T]",
    join: Callable[[Sequence[int]], T],
    decode: Callable[[SoundFormat], Path | io.BytesIO],
) -> T:
    """What `use` makes of an open file, which it reads to its end, or `join` of a file that is several.

    Args:
        path: the file.
        use: reads an open file. It is called again, with another file, if the first one did not have everything.
        join: reads a file whose pieces begin there, in bytes.
        decode: has ffmpeg decode a file of that format. A failure of ffmpeg is a BadInputError or MissingProgramError.

    Raises:
        AudioError: it is not audio, or some of it cannot be read.
    """
    import soundfile

    form = format_of(path)
    if form is WAV and has_no_length(path):
        return join(beginnings(path, form))
    first: _Opinion[T] = _Opinion()
    if form is None or form.by_libsndfile:
        first = _first_opinion(path, form, use)
        if first.result is not None and not first.may_have_more:
            return first.result
    if form is None:
        raise first.failure or _not_opened(path, ValueError("Format not recognised"))
    begins = beginnings(path, form)
    if len(begins) > 1:
        return join(begins)
    if first.failure is not None and first.has_length and not form.by_ffmpeg:
        raise first.failure
    try:
        source = decode(form)
    except (BadInputError, MissingProgramError) as error:
        if first.result is None:
            raise
        reason = f"more sound follows behind the {first.seconds:.2f} s of its header: {error.problem}"
        raise unreadable(path, reason, error.remedy) from error
    with soundfile.SoundFile(source) as file:
        more = file.frames / file.samplerate - first.seconds
        if first.result is not None and more < _SAME_SECONDS:
            return first.result
        if first.failure is not None and more < -_SAME_SECONDS:
            raise first.failure
        return use(file)


def _first_opinion(path: Path, form: SoundFormat | None, use: "Callable[[soundfile.SoundFile], T]") -> "_Opinion[T]":
    import soundfile

    opinion: _Opinion[T] = _Opinion()
    with _SeekingFile(path) as raw:
        try:
            file = soundfile.SoundFile(raw)
        except (soundfile.LibsndfileError, OSError, TypeError, ValueError, RuntimeError) as error:
            return _Opinion(failure=_not_opened(path, error))
        with file:
            frames = header_frames(path, file)
            opinion.seconds, opinion.has_length = (frames or 0) / file.samplerate, frames is not None
            try:
                opinion.result = use(file)
                opinion.may_have_more = may_have_more(raw, form)
            except DecodingStoppedError as error:
                opinion.failure = error
    return opinion


def _not_opened(path: Path, error: Exception) -> AudioError:
    with path.open("rb") as file:
        if is_text(file.read(_START_BYTES)):
            return unreadable(path, "it is a text, not a recording", "replace it with the recording")
    return unreadable(path, plain_reason(error), "if it plays elsewhere, export it there as WAV")
