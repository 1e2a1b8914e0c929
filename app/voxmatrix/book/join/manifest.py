"""The certificate of an audiobook: every sentence that is in it."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voxmatrix.book.join.loudness import Levels
from voxmatrix.book.join.timeline import Timeline
from voxmatrix.files import replacing


@dataclass(frozen=True)
class Origin:
    """A file that an audiobook was made of."""

    name: str
    sha256: str


def manifest_path(out: Path) -> Path:
    """The certificate of the audiobook `out`."""
    return out.with_name(f"{out.stem}.manifest.json")


def write_manifest(line: Timeline, levels: Levels, *, book: Origin, voice: Origin, out: Path) -> Path:
    """Write the certificate. `levels` exist only if every sentence was read and was what was promised.

    Raises:
        UnreachableError: the file cannot be written.
    """
    path = manifest_path(out)
    text = json.dumps(_content(line, levels, book, voice), indent=1, ensure_ascii=False) + "\n"
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))  # half a character, \ud83d, is written as in JSON
    return path


def text_sha256(text: str) -> str:
    """The checksum of a sentence, over its UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _content(line: Timeline, levels: Levels, book: Origin, voice: Origin) -> dict[str, Any]:
    return {
        "book": asdict(book),
        "voice": asdict(voice),
        "complete": True,
        "chapters": [
            {
                "index": chapter.chapter.index,
                "title": chapter.chapter.title,
                "start_seconds": round(line.seconds(chapter.start), 3),
                "seconds": round(line.seconds(chapter.end - chapter.start), 3),
            }
            for chapter in line.chapters
        ],
        "units": [
            {
                "chapter": sentence.spoken.chapter,
                "index": sentence.spoken.index,
                "text": sentence.spoken.text,
                "start_seconds": round(line.seconds(sentence.start), 3),
                "text_sha256": text_sha256(sentence.spoken.text),
                "samples": sentence.spoken.samples,
                "rate_hz": sentence.spoken.rate_hz,
                "audio_sha256": sentence.spoken.sha256,
                "loudness_lufs": loudness,
            }
            for sentence, loudness in zip(line.sentences, levels.sentences_lufs, strict=True)
        ],
    }
