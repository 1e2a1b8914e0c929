"""The formats of sound files, known by their first bytes and never by their names.

A file is read by libsndfile, or else by ffmpeg, which is told the format: left to guess, it also takes playlists and
lists of files for sound, and opens what they name.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.audio.checks import is_text

#: Read to tell formats apart: two packets of an MPEG transport stream.
_START_BYTES = 400


@dataclass(frozen=True)
class SoundFormat:
    """A format: how its files begin, and who reads them."""

    demuxer: str  # ffmpeg's name
    start: re.Pattern[bytes]
    by_libsndfile: bool = False
    #: ffmpeg also reads files of this format that libsndfile refuses.
    by_ffmpeg: bool = True
    #: Needs to be sought in: ffmpeg gets the file and not a pipe.
    seeks: bool = False
    #: How a further piece begins that was appended to a file, as far as it differs from `start`. None: like the file.
    again: re.Pattern[bytes] | None = None

    @property
    def beginning(self) -> re.Pattern[bytes]:
        """How a piece begins inside a file."""
        return self.again or self.start


def _pattern(text: bytes) -> re.Pattern[bytes]:
    return re.compile(text, re.DOTALL)


#: A frame that tells the length of an MP3, in each of the places where it can stand.
_INFO_FRAME = rb"\xff[\xe2-\xff].{2}(?:.{2})?(?:.{9}|.{17}|.{32})(?:Xing|Info|VBRI)"
#: A tag, which mostly begins a file.
ID3 = rb"ID3[\x02-\x04][\x00-\x09][\x00-\xf0][\x00-\x7f]{4}"
WAV = SoundFormat("wav", _pattern(rb"RIFF.{4}WAVE"), by_libsndfile=True, by_ffmpeg=False)
#: WAV of MPEG, WMA or AC-3 sound, which libsndfile does not read or not whole.
PACKED_WAV = SoundFormat("wav", WAV.start)
W64 = SoundFormat("w64", _pattern(re.escape(b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\x00\x00")), True, False)
FLAC = SoundFormat("flac", _pattern(rb"fLaC"), True, False, again=_pattern(rb"fLaC[\x00\x80]\x00\x00\x22"))
OGG = SoundFormat("ogg", _pattern(rb"OggS\x00"), True, again=_pattern(rb"OggS\x00[\x02\x03\x06\x07]\x00{8}"))
MP3 = SoundFormat(
    "mp3",
    _pattern(rb"ID3|\xff(?:[\xe2-\xe7\xf2-\xf7\xfa-\xff])[\x00-\xef]"),
    by_libsndfile=True,
    by_ffmpeg=False,
    again=_pattern(rb"%b|%b" % (ID3, _INFO_FRAME)),
)
#: In an m4a, a cover may be a picture whose format is a relative of it.
MP4 = SoundFormat(
    "mov",
    _pattern(rb".{4}(?:ftyp|moov|mdat|wide|free|skip|pnot)"),
    seeks=True,
    again=_pattern(rb"\x00\x00\x00[\x0c-\xff]ftyp(?!hei|hev|avif|avis|mif1|msf1)[ -~]{4}"),
)
FORMATS = (
    *(WAV, W64, FLAC, OGG, MP4),
    SoundFormat("wav", _pattern(rb"(?:RF64|BW64).{4}WAVE"), True, False),
    SoundFormat("aiff", _pattern(rb"FORM.{4}AIF[FC]"), True, False),
    SoundFormat("au", _pattern(rb"\.snd\x00\x00.{2}.{4}\x00\x00\x00[\x01-\x1b]"), True, False),
    SoundFormat("caf", _pattern(rb"caff\x00\x01\x00\x00desc"), True),
    SoundFormat(
        "matroska",
        _pattern(rb"\x1aE\xdf\xa3"),
        again=_pattern(rb"\x1aE\xdf\xa3.{1,60}?B\x82[\x84\x88](?:webm|matroska)"),
    ),
    SoundFormat("asf", _pattern(re.escape(bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")))),
    SoundFormat("amr", _pattern(rb"#!AMR(?:-WB)?\n")),
    SoundFormat("avi", _pattern(rb"RIFF.{4}AVI "), seeks=True),
    SoundFormat("flv", _pattern(rb"FLV\x01")),
    SoundFormat("ape", _pattern(rb"MAC "), seeks=True),
    SoundFormat("wv", _pattern(rb"wvpk"), again=_pattern(rb"(?!)")),
    SoundFormat("tta", _pattern(rb"TTA1")),
    # Streams of packets, in which a further piece is just more of them.
    SoundFormat("mpegts", _pattern(rb"G.{187}G.{187}G|.{4}G.{191}G"), again=_pattern(rb"(?!)")),
    SoundFormat("mpeg", _pattern(rb"\x00\x00\x01\xba"), again=_pattern(rb"(?!)")),
    SoundFormat("ac3", _pattern(rb"\x0b\x77"), again=_pattern(rb"(?!)")),
    SoundFormat("aac", _pattern(rb"\xff[\xf0\xf1\xf8\xf9]|ADIF"), again=_pattern(rb"(?!)")),
    MP3,
)
#: Format tags of WAV files that ffmpeg reads whole: MPEG, WMA, AC-3.
_PACKED = frozenset((0x50, 0x55, 0x160, 0x161, 0x162, 0x163, 0x2000))


def format_of(path: Path) -> SoundFormat | None:
    """The format of a file by its first bytes, behind a tag that any format may begin with; None: it is none of these.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(_START_BYTES)
        if re.match(ID3, start):
            file.seek(id3_bytes(start))
            start = file.read(_START_BYTES) or start
    if start[8:16] == b"WAVEfmt " and int.from_bytes(start[20:22], "little") in _PACKED:
        return PACKED_WAV
    found = next((one for one in FORMATS if one.start.match(start)), None)
    return None if found and not found.by_libsndfile and is_text(start) else found


def id3_bytes(tag: bytes) -> int:
    """The length of an ID3 tag that begins so, with its header: seven bits a byte."""
    return 10 + sum(byte << shift for byte, shift in zip(tag[6:10], (21, 14, 7, 0), strict=True))
