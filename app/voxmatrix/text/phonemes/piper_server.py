"""The process that loads phonemizers of piper-tts, which is under the GPL: texts in, answers out.

Run by path:  python -I piper_server.py KIND, which is "arabic" or a phoneme type. The first line out is a `version`, or
the name of the package that is `missing`. Then each line in, texts in `unicode_escape` with a tab behind each, is
answered by a list: of texts with vowel signs for Arabic, else of phonemes for each text.
"""

import importlib
import importlib.metadata
import json
import logging
import os
import sys
from typing import Any

#: What answers for each kind: a module and a class.
_CLASSES = {
    "arabic": ("piper.tashkeel", "TashkeelDiacritizer"),
    "hebrew": ("piper.phonemize_hebrew", "HebrewPhonemizer"),
    "japanese": ("piper.phonemize_japanese", "JapanesePhonemizer"),
    "thai": ("piper.phonemize_thai", "ThaiPhonemizer"),
}


def main() -> None:
    """Load what answers, then answer until standard input ends."""
    logging.disable()
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read when onnxruntime is first imported
    kind = sys.argv[1]
    module, name = _CLASSES[kind]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the packages print stays out of the answers

    def say(answer: Any) -> None:
        answers.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
        answers.flush()

    try:
        importlib.import_module("onnxruntime").disable_telemetry_events()  # for Windows, as in compute.libraries
        loaded = getattr(importlib.import_module(module), name)()
    except ImportError as error:
        say({"missing": error.name or str(error)})
        return
    say({"version": importlib.metadata.version("piper-tts")})
    for line in sys.stdin.buffer:
        texts = [text.decode("unicode_escape") for text in line.split(b"\t")[:-1]]
        if kind == "arabic":
            say([loaded(text) for text in texts])
        else:
            say([[phoneme for sentence in loaded.phonemize(text) for phoneme in sentence] for text in texts])


if __name__ == "__main__":
    main()
