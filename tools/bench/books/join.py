"""Join a book of 10 hours, built from tones, to m4b: the time, and the peak memory with ffmpeg's.

The book has 40 chapters of 180 sentences of 4 to 6 seconds. An hour of sentences is written, and used ten times.

python tools/bench/books/join.py --hours 10
"""

import argparse
import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from tools.bench.peak import run_with_peak

RATE_HZ = 22050
SENTENCES_A_CHAPTER = 180
DIFFERENT = 720
JOIN = """
import hashlib, json, sys
from pathlib import Path
from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.join.audiobook import join_book
from voxmatrix.book.join.audiobook import Origin
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.timeline import Spoken
folder, rate_hz, sentences, each = Path(sys.argv[1]), *map(int, sys.argv[2:])
files = json.loads((folder / "files.json").read_text())
spoken = []
for number in range(sentences):
    chapter, index = divmod(number, each)
    name, samples, sha256 = files[number % len(files)]
    spoken.append(Spoken(
        chapter=chapter + 1, index=index + 1, text=f"This is sentence {number} of a long book.", path=folder / name,
        samples=samples, rate_hz=rate_hz, sha256=sha256, starts_paragraph=index % 6 == 0,
    ))
chapters = tuple(Chapter(number, f"Chapter {number}", ()) for number in range(1, spoken[-1].chapter + 1))
book = Book("Tones", ("Bench",), "en", None, chapters)
nobody = Origin("none", "0" * 64)
joined = join_book(book, spoken, folder / "book.m4b", JoinSettings(), source=nobody, voice=nobody)
print(joined.seconds)
"""


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=10.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="voxmatrix-bench-") as name:
        folder = Path(name)
        write_sentences(folder)
        print(json.dumps(measure(folder, round(args.hours * DIFFERENT)), indent=1))


def write_sentences(folder: Path) -> None:
    """Write an hour of sentences: tones that change like syllables, with a little noise."""
    from voxmatrix.files import digest

    random = np.random.default_rng(1)
    files = []
    for number in range(DIFFERENT):
        samples = RATE_HZ * 4 + int(random.integers(0, 2 * RATE_HZ))
        at = np.arange(samples) / RATE_HZ
        pitch = 110 + 40 * np.sin(2 * np.pi * 0.4 * at + number)
        voice = sum(np.sin(2 * np.pi * k * np.cumsum(pitch) / RATE_HZ) / k for k in range(1, 12))
        syllables = np.clip(np.sin(2 * np.pi * 4 * at), 0, 1)
        sound = 0.15 * voice * syllables + 0.003 * random.standard_normal(samples)
        path = folder / f"{number:04}.flac"
        soundfile.write(path, np.clip(sound, -1, 1), RATE_HZ, subtype="PCM_16")
        files.append((path.name, samples, digest(path)))
    (folder / "files.json").write_text(json.dumps(files), encoding="utf-8")


def measure(folder: Path, sentences: int) -> dict[str, Any]:
    """Join in a process of its own."""
    command = [sys.executable, "-c", JOIN, str(folder), *map(str, (RATE_HZ, sentences, SENTENCES_A_CHAPTER))]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = run_with_peak(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return {
        "setting": f"{sentences} sentences of {RATE_HZ} Hz, {len(os.sched_getaffinity(0))} cores",
        "audio_hours": round(float(run.output) / 3600, 2),
        "seconds": round(run.seconds, 1),
        "times_real_time": round(float(run.output) / run.seconds, 1),
        "cpu_seconds": round(cpu_seconds, 1),
        "load_average": round(os.getloadavg()[0], 1),
        "peak_mib": round(run.peak_mib),
        "wanted": "at least 60 times real time, in less than 400 MiB",
    }


if __name__ == "__main__":
    main()
