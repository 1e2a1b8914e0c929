"""Small books with speech made of tones, and what ffprobe and ffmpeg find in a file."""

import hashlib
import io
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from PIL import Image

from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.book.content import Book, Chapter, Cover
from voxmatrix.book.join.audiobook import Origin
from voxmatrix.book.join.cover import with_usable_cover
from voxmatrix.book.join.finished import FinishedSpeech, JoinSettings
from voxmatrix.book.join.loudness import measure
from voxmatrix.book.join.timeline import Spoken, timeline

RATE_HZ = 16000
SOURCE = Origin("book.epub", "1" * 64)
VOICE = Origin("alba", "2" * 64)


def tone(seconds: float, hz: float = 300.0, amplitude: float = 0.1, rate_hz: int = RATE_HZ) -> np.ndarray:
    return amplitude * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz)


def spoken(
    path: Path, sound: np.ndarray, *, chapter: int = 1, index: int = 1, rate_hz: int = RATE_HZ, **more: Any
) -> Spoken:
    """Writes the speech of one sentence."""
    soundfile.write(path, sound, rate_hz, subtype="PCM_16")
    known = {"text": f"Sentence {index} of chapter {chapter}.", "samples": len(sound), **more}
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Spoken(chapter=chapter, index=index, path=path, rate_hz=rate_hz, sha256=digest, **known)


def speech(folder: Path, sentences: Sequence[int], amplitude: float = 0.1) -> list[Spoken]:
    """So many sentences for each chapter, each with a pitch and a length of its own, in both formats."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        spoken(
            folder / f"{chapter}-{index}.{'flac' if index % 2 else 'wav'}",
            tone(0.5 + 0.1 * index, 200 + 50 * index, amplitude * (1 + chapter % 3)),
            chapter=chapter,
            index=index,
            starts_paragraph=index % 3 == 1,
        )
        for chapter, count in enumerate(sentences, start=1)
        for index in range(1, count + 1)
    ]


def book(titles: Sequence[str], cover: Cover | None = None, title: str = "A Book", language: str = "sv-SE") -> Book:
    chapters = tuple(Chapter(number, text, ()) for number, text in enumerate(titles, start=1))
    return Book(title, ("Selma Lagerlöf", "N. N."), language, cover, chapters)


def finished(content: Book, sentences: Sequence[Spoken], settings: JoinSettings | None = None) -> FinishedSpeech:
    settings = settings or JoinSettings()
    line = timeline(content.chapters, sentences, settings.pauses)
    return FinishedSpeech(book=with_usable_cover(content), line=line, levels=measure(line), settings=settings)


def image(form: str, size: tuple[int, int] = (30, 40)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, (200, 30, 30)).save(file, form)
    return file.getvalue()


def probe(path: Path) -> dict[str, Any]:
    """What ffprobe says, with the chapters as (start, end, title)."""
    command = ["ffprobe", "-v", "error", "-show_format", "-show_streams", "-show_chapters", "-of", "json"]
    done = subprocess.run([*command, f"file:{path}"], capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    found["marks"] = [
        (float(one["start_time"]), float(one["end_time"]), one.get("tags", {}).get("title", ""))
        for one in found["chapters"]
    ]
    return found


def heard(path: Path) -> tuple[float, float]:
    """Integrated loudness in LUFS and true peak in dBTP, as ffmpeg measures a file."""
    command = [ffmpeg_program(), "-nostdin", "-hide_banner", "-i", f"file:{path}", "-map", "0:a"]
    done = subprocess.run([*command, "-af", "ebur128=peak=true", "-f", "null", "-"], capture_output=True, check=True)
    summary = done.stderr.decode().rsplit("Summary:", 1)[1]
    lufs, peak = re.search(r"I: +(\S+) LUFS", summary), re.search(r"Peak: +(\S+) dBFS", summary)
    assert lufs and peak
    return float(lufs[1]), float(peak[1])


def decoded(path: Path, rate_hz: int = RATE_HZ) -> np.ndarray:
    command = [ffmpeg_program(), "-v", "error", "-i", f"file:{path}", "-map", "0:a", "-f", "s16le", "-ac", "1"]
    done = subprocess.run([*command, "-ar", str(rate_hz), "-"], capture_output=True, check=True)
    return np.frombuffer(done.stdout, np.int16) / 32768
