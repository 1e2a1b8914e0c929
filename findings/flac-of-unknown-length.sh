#!/bin/bash
# A FLAC that was written to a pipe has the length 0 in its header, which the format defines as "unknown". One would expect
# soundfile to read it to its end, as it does a WAV of unknown length. It opens the file, reports 2**63 - 1 frames, and the
# first read fails: "Internal psf_fseek() failed". The samples are there: ffmpeg reads all of them.
# Seen with soundfile 0.14.0 (libsndfile 1.2.2).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check soundfile==0.14.0 imageio-ffmpeg==0.6.0 numpy==2.2.6

cat >"$folder/streamed.py" <<'PYTHON'
import subprocess
import sys
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import soundfile

folder, program = Path(sys.argv[1]), imageio_ffmpeg.get_ffmpeg_exe()
soundfile.write(folder / "a.wav", 0.4 * np.sin(np.arange(22050) / 10), 22050)
command = [program, "-v", "error", "-i", folder / "a.wav", "-f", "flac", "-"]
(folder / "streamed.flac").write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
print(f"soundfile {soundfile.__version__}, libsndfile {soundfile.__libsndfile_version__}")
with soundfile.SoundFile(folder / "streamed.flac") as file:
    print(f"frames: {file.frames}")
    try:
        print(f"read: {len(file.read(22050))}")
    except soundfile.LibsndfileError as error:
        print(f"read: {error.error_string}")
command = [program, "-v", "error", "-i", folder / "streamed.flac", "-f", "s16le", "-"]
print(f"ffmpeg: {len(subprocess.run(command, capture_output=True, check=True).stdout) // 2} of 22050")
PYTHON

seen=$("$folder/venv/bin/python" "$folder/streamed.py" "$folder" 2>/dev/null)
echo "$seen"
[[ $seen == 'soundfile 0.14.0, libsndfile 1.2.2
frames: 9223372036854775807
read: Internal psf_fseek() failed.
ffmpeg: 22050 of 22050' ]] || { echo 'this has changed'; exit 1; }
