#!/bin/bash
# Sound files that were joined by their bytes (cat a.flac b.flac) are read to the end of their first piece, without an error:
# by libsndfile (FLAC, Ogg Vorbis, Ogg Opus, MP3) and, for m4a and WAV, by ffmpeg. One would expect all of it, or an error.
# libsndfile refuses to open joined WAVs. ffmpeg reads two of three webm, and loses the end of a FLAC. With FLAC that ffmpeg
# itself joined (concat, -c copy), the header keeps the length of the first piece, which libsndfile believes; Opus joined so
# is opened and cannot be read.
# Seen with soundfile 0.14.0 (libsndfile 1.2.2) and ffmpeg 7.0.2; m4a, WAV and webm also with 5.1.9 and 9.0.2, FLAC with 5.1.9.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check soundfile==0.14.0 imageio-ffmpeg==0.6.0 numpy==2.2.6

cat >"$folder/joined.py" <<'PYTHON'
import subprocess
import sys
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import soundfile

folder, program = Path(sys.argv[1]), imageio_ffmpeg.get_ffmpeg_exe()
CODECS = {
    **{"flac": [], "ogg": ["-c:a", "libvorbis"], "opus": ["-c:a", "libopus"], "mp3": ["-b:a", "64k"], "wav": []},
    **{"m4a": ["-c:a", "aac"], "webm": ["-c:a", "libopus"]},
}


def ffmpeg(*arguments):
    command = [program, "-v", "error", "-y", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True).stdout


def by_libsndfile(path):
    try:
        with soundfile.SoundFile(path) as file:
            return f"{len(file.read()) / file.samplerate:.1f}"
    except soundfile.LibsndfileError:
        return "error"


def by_ffmpeg(path):
    return f"{len(ffmpeg('-i', path, '-af', 'asetpts=N/SR/TB', '-f', 's16le', '-ac', 1, '-ar', 22050, '-')) / 44100:.1f}"


times = np.arange(2 * 22050) / 22050
soundfile.write(folder / "a.wav", 0.4 * np.sin(2 * np.pi * 400 * times), 22050)
(folder / "parts.txt").write_text("")
print(f"soundfile {soundfile.__version__}, libsndfile {soundfile.__libsndfile_version__},", end=" ")
print(f"ffmpeg {imageio_ffmpeg.get_ffmpeg_version()}; seconds read of 6.0")
for ending, codec in CODECS.items():
    piece, joined, copied = (folder / f"{name}.{ending}" for name in ("piece", "joined", "copied"))
    ffmpeg("-i", folder / "a.wav", *codec, piece)
    joined.write_bytes(3 * piece.read_bytes())
    (folder / "parts.txt").write_text(3 * f"file '{piece.name}'\n")
    ffmpeg("-f", "concat", "-i", folder / "parts.txt", "-c", "copy", copied)
    for how, path in (("bytes", joined), ("ffmpeg", copied)):
        first = "" if ending in ("m4a", "webm") else f"libsndfile {by_libsndfile(path)}, "  # it has neither format
        print(f"{ending} joined by {how}: {first}ffmpeg {by_ffmpeg(path)}")
PYTHON

seen=$("$folder/venv/bin/python" "$folder/joined.py" "$folder" 2>/dev/null)
echo "$seen"
[[ $(tail -n +2 <<<"$seen") == 'flac joined by bytes: libsndfile 2.0, ffmpeg 5.6
flac joined by ffmpeg: libsndfile 2.0, ffmpeg 6.0
ogg joined by bytes: libsndfile 2.0, ffmpeg 6.0
ogg joined by ffmpeg: libsndfile 6.0, ffmpeg 6.0
opus joined by bytes: libsndfile 2.0, ffmpeg 6.0
opus joined by ffmpeg: libsndfile error, ffmpeg 6.0
mp3 joined by bytes: libsndfile 2.0, ffmpeg 6.1
mp3 joined by ffmpeg: libsndfile 6.1, ffmpeg 6.1
wav joined by bytes: libsndfile error, ffmpeg 2.0
wav joined by ffmpeg: libsndfile 6.0, ffmpeg 6.0
m4a joined by bytes: ffmpeg 2.0
m4a joined by ffmpeg: ffmpeg 6.3
webm joined by bytes: ffmpeg 4.0
webm joined by ffmpeg: ffmpeg 6.0' ]] || { echo 'this has changed'; exit 1; }
