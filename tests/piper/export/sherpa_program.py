"""Speaks with sherpa-onnx: python sherpa_program.py < REQUESTS. It has an onnxruntime of its own, and ends its process
where it refuses a voice.

A request has `folder` and `name` of a voice, `text`, `speaker`, and for sherpa-onnx 2 the `phonemes` of each sentence.
"""

import json
import sys
from pathlib import Path
from typing import Any

import sherpa_onnx


def spoken(request: dict[str, Any]) -> dict[str, Any]:
    """What is heard, and what the program knows of the voice."""
    folder = Path(request["folder"])
    vits = sherpa_onnx.OfflineTtsVitsModelConfig(
        model=str(folder / f"{request['name']}.onnx"),
        tokens=str(folder / "tokens.txt"),
        data_dir="" if "phonemes" in request else str(folder / "espeak-ng-data"),
    )
    config = sherpa_onnx.OfflineTtsConfig(model=sherpa_onnx.OfflineTtsModelConfig(vits=vits, num_threads=1))
    assert config.validate()
    tts = sherpa_onnx.OfflineTts(config)
    if "phonemes" in request:
        wanted = sherpa_onnx.GenerationConfig()
        wanted.sid = request["speaker"]
        wanted.phoneme_codepoints = [[ord(one) for one in sentence] for sentence in request["phonemes"]]
        audio = tts.generate(request["text"], wanted)
    else:
        audio = tts.generate(request["text"], sid=request["speaker"], speed=1.0)
    return {"rate_hz": audio.sample_rate, "speakers": tts.num_speakers, "samples": [*map(float, audio.samples)]}


if __name__ == "__main__":
    json.dump([spoken(request) for request in json.load(sys.stdin)], sys.stdout)
