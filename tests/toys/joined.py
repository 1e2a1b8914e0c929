"""Recordings joined from pieces, without encoding them again."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile

from voxmatrix.audio.ffmpeg import ffmpeg_program

RATE_HZ = 22_050
#: What each ending is made with.
CODECS: dict[str, tuple[str, ...]] = {
    **{"wav": (), "flac": (), "aiff": (), "w64": (), "au": (), "caf": ("-f", "caf"), "mp3": ("-b:a", "64k")},
    **{"ogg": ("-c:a", "libvorbis"), "opus": ("-c:a", "libopus"), "oga": ("-c:a", "flac"), "m4a": ("-c:a", "aac")},
    **{"aac": ("-c:a", "aac", "-f", "adts"), "webm": ("-c:a", "libopus"), "mka": ("-c:a", "flac"), "wma": ()},
}


def ffmpeg(*arguments: str | Path) -> None:
    subprocess.run([ffmpeg_program(), "-v", "error", "-nostdin", *map(str, arguments)], check=True)


def tone(seconds: float, hertz: float) -> np.ndarray:
    return 0.4 * np.sin(2 * np.pi * hertz * np.arange(round(seconds * RATE_HZ)) / RATE_HZ)


def made(folder: Path, ending: str, count: int) -> tuple[list[Path], list[float]]:
    """Pieces of different lengths and pitches, and their pitches; of ten, each is one of two."""
    lengths = [0.8 + 0.4 * (number % 2) for number in range(count)]
    pitches = [400.0 + 300.0 * (number % 2) for number in range(count)]
    for number in range(min(2, count)):
        soundfile.write(folder / f"{number}.source.wav", tone(lengths[number], pitches[number]), RATE_HZ)
        ffmpeg("-i", folder / f"{number}.source.wav", *CODECS[ending], folder / f"{number}.{ending}")
    return [folder / f"{number % 2}.{ending}" for number in range(count)], pitches


def by_bytes(pieces: Sequence[Path]) -> Path:
    out = pieces[0].with_name(f"joined{pieces[0].suffix}")
    out.write_bytes(b"".join(piece.read_bytes() for piece in pieces))
    return out


def by_ffmpeg(pieces: Sequence[Path]) -> Path:
    out, parts = pieces[0].with_name(f"copied{pieces[0].suffix}"), pieces[0].with_name("parts.txt")
    parts.write_text("".join(f"file '{piece.name}'\n" for piece in pieces), encoding="utf-8")
    ffmpeg("-f", "concat", "-i", parts, "-c", "copy", out)
    return out
