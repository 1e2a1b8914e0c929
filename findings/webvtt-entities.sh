#!/bin/bash
# In WebVTT, & and < of a text are written as &amp; and &lt;, and < begins a tag, as in HTML. One would expect a library
# that reads and writes captions to do both, so that a text comes back as it was. Neither of two common ones does:
# webvtt-py and pysubs2 hand out `AT&amp;T` as the text, which a voice then says, and pysubs2 writes `x<y and y>z` as it
# is: whoever reads that file as the standard says takes `<y and y>` for a tag, and these words are lost.
# Seen with webvtt-py 0.6.0 and pysubs2 1.8.1.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check webvtt-py==0.6.0 pysubs2==1.8.1

cat >"$folder/captions.py" <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import pysubs2
import webvtt

folder = Path(sys.argv[1])
print(f"webvtt-py {version('webvtt-py')}, pysubs2 {version('pysubs2')}")
(folder / "a.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nAT&amp;T is &lt; 5 &#8364;\n")
print("webvtt-py reads:", webvtt.read(folder / "a.vtt")[0].text)
print("pysubs2 reads:", pysubs2.load(str(folder / "a.vtt"))[0].plaintext)
captions = pysubs2.SSAFile()
captions.append(pysubs2.SSAEvent(start=0, end=1000, text="If x<y and y>z, stop."))
captions.save(str(folder / "b.vtt"))
print("pysubs2 writes:", (folder / "b.vtt").read_text().splitlines()[4])
print("webvtt-py reads that:", webvtt.read(folder / "b.vtt")[0].text)
PYTHON

seen=$("$folder/venv/bin/python" "$folder/captions.py" "$folder")
echo "$seen"
[[ $seen == 'webvtt-py 0.6.0, pysubs2 1.8.1
webvtt-py reads: AT&amp;T is &lt; 5 &#8364;
pysubs2 reads: AT&amp;T is &lt; 5 &#8364;
pysubs2 writes: If x<y and y>z, stop.
webvtt-py reads that: If xz, stop.' ]] || { echo 'this has changed'; exit 1; }
