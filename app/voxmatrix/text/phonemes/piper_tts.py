"""Phonemizers of piper-tts, for languages that espeak-ng cannot read, in a process of its own (piper_server.py)."""

import sys
from pathlib import Path
from typing import Any

from voxmatrix.errors import BadInputError, MissingProgramError
from voxmatrix.landlock import Limits, python_folders
from voxmatrix.text.phonemes.espeak import LineServer

#: What to install for the packages that a phonemizer needs. (Hebrew and Arabic need piper-tts alone.)
_EXTRAS = {"pyopenjtalk": "piper-tts[ja]", "tltk": "piper-tts[th]", "unicode_rbnf": "piper-tts[th]"}
#: Phoneme types of Piper's voices that it can answer for. `pinyin` needs a model that no package contains.
PIPER_TYPES = ("hebrew", "japanese", "thai")


class PiperTts(LineServer):
    """One phonemizer of piper-tts: "arabic", which adds vowel signs, or one of PIPER_TYPES, which gives phonemes."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        server = Path(__file__).with_name("piper_server.py")
        super().__init__([sys.executable, "-I", str(server), kind], Limits(reads=python_folders()))

    def check(self, greeting: dict[str, Any]) -> None:
        """Raise if a package is not installed."""
        if "missing" in greeting:
            raise self.missing(greeting["missing"])

    def missing(self, detail: str) -> MissingProgramError:
        """The error for a package that is not installed."""
        module = detail.partition(".")[0]
        package = _EXTRAS.get(module, "piper-tts")
        return MissingProgramError(
            f"{self._kind} texts are pronounced by {package}, which is not installed ({detail})",
            f'pip install "{package}"',
        )

    def refused(self, text: str) -> BadInputError:
        """The error for a text on which piper-tts fails."""
        return BadInputError(f"piper-tts cannot pronounce {text!r}", "change or remove that text")
