#!/bin/bash
# ffmpeg 9 leaves long chapters out of the chapter track of an m4b (which Apple's players read) when AAC from ADTS is copied
# into it, and exits with 0. One would expect as many entries as chapters, as ffmpeg 7 writes from the same input. The unit of
# the track is then 1/28,224,000 s, so a chapter over 76 s does not fit into 31 bits; with -v error, a line about an invalid
# duration is all that tells. Nero's list (`chpl`), which ffprobe merges with the track, is complete in both. -movie_timescale
# 1000 gives the track milliseconds, and all chapters.
# Seen with ffmpeg 9.0.2 (imageio-ffmpeg 0.8.1), beside 7.0.2 (imageio-ffmpeg 0.6.0).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
for version in 0.6.0 0.8.1; do
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --target "$folder/$version" imageio-ffmpeg==$version
done

cat >"$folder/chapters.py" <<'PYTHON'
import struct
import subprocess
import sys
from pathlib import Path

import imageio_ffmpeg

folder, program = Path(sys.argv[1]), imageio_ffmpeg.get_ffmpeg_exe()
LENGTHS = (5, 5, 40, 300)


def ffmpeg(*arguments):
    subprocess.run([program, "-v", "error", "-y", *map(str, arguments)], check=True, stderr=subprocess.PIPE)


def boxes(data):
    at = 0
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8 : at + size]
        at += size


def inside(data, *kinds):
    for kind in kinds:
        data = dict(boxes(data))[kind]
    return data


def entries(path):
    """How many chapters there are in Nero's list, and in the chapter track."""
    movie = inside(path.read_bytes(), b"moov")
    tracks = [content for kind, content in boxes(movie) if kind == b"trak"]
    texts = [one for one in tracks if inside(one, b"mdia", b"hdlr")[8:12] == b"text"]
    samples = [struct.unpack_from(">I", inside(one, b"mdia", b"minf", b"stbl", b"stsz"), 8)[0] for one in texts]
    return inside(movie, b"udta", b"chpl")[8], sum(samples)


start, lines = 0, [";FFMETADATA1"]
for number, seconds in enumerate(LENGTHS, start=1):
    lines += ["[CHAPTER]", "TIMEBASE=1/1", f"START={start}", f"END={start + seconds}", f"title=Chapter {number}"]
    start += seconds
(folder / "marks.txt").write_text("\n".join(lines) + "\n")
ffmpeg("-f", "lavfi", "-i", f"sine=220:sample_rate=24000:duration={start}", "-c:a", "aac", "-b:a", "32k", folder / "a.aac")
print(f"ffmpeg {imageio_ffmpeg.get_ffmpeg_version().partition('-')[0]}, {len(LENGTHS)} chapters: list, track")
for options in ([], ["-movie_timescale", "1000"]):
    copied = ["-f", "aac", "-i", folder / "a.aac", "-i", folder / "marks.txt", "-map", "0:a", "-map_chapters", "1", "-c", "copy"]
    ffmpeg(*copied, "-f", "ipod", *options, folder / "book.m4b")
    print(" ".join(["copied", *options]), *entries(folder / "book.m4b"))
PYTHON

seen=$(for version in 0.6.0 0.8.1; do
    PYTHONPATH=$folder/$version "$folder/venv/bin/python" "$folder/chapters.py" "$folder"
done)
echo "$seen"
[[ $seen == 'ffmpeg 7.0.2, 4 chapters: list, track
copied 4 4
copied -movie_timescale 1000 4 4
ffmpeg n9.0.2, 4 chapters: list, track
copied 4 3
copied -movie_timescale 1000 4 4' ]] || { echo 'this has changed'; exit 1; }
