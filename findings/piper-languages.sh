#!/bin/bash
# piper-tts refuses languages that its own copy of espeak-ng lists: "fr-fr", "en-gb", "zh", "no" and "pt-pt" among them.
# espeak-ng's program takes each of them. piper-tts asks for a voice by the name of its file or by its full name only, and
# these are the tags within files called fr, en, cmn, nb and pt: a voice's JSON must say "espeak": {"voice": "fr"}. A tag
# that is also the name of a file works, such as "en-us" or "pt-br". Seen with piper-tts 1.8.0.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check piper-tts==1.8.0

cat >"$folder/languages.py" <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

import piper
from piper.phonemize_espeak import EspeakPhonemizer

phonemizer, refused, taken = EspeakPhonemizer(), {}, 0
for file in sorted((Path(piper.__file__).parent / "espeak-ng-data" / "lang").rglob("*")):
    for words in map(str.split, file.read_text(encoding="utf-8").splitlines() if file.is_file() else ()):
        if words[:1] == ["language"]:
            try:
                phonemizer.phonemize(words[1], "a")
                taken += 1
            except RuntimeError:
                refused.setdefault(words[1], file.name)
print(f"piper-tts {version('piper-tts')}: {taken} tags of its languages are taken, {len(refused)} refused")
print(" ".join(sorted(refused)))
PYTHON

seen=$("$folder/venv/bin/python" "$folder/languages.py" 2>/dev/null)
echo "$seen"
[[ $seen == 'piper-tts 1.8.0: 155 tags of its languages are taken, 12 refused
chr-US-Qaaa-x-west en-gb es-mx fr-fr hbs hy-arevela hy-arevmda no pt-pt zh zh-cmn zh-yue' ]] || { echo 'this has changed'; exit 1; }
