"""Asks the system's libespeak-ng, the library below the program, in a process of its own: JSON in, JSON out.

{"voice": "sv", "texts": ["..."]}  →  [["phonemes of a clause", ...], ...]
"""

import ctypes
import ctypes.util
import json
import sys

SYNCHRONOUS, IPA, UTF8 = 2, 2, 1


def main() -> None:
    question = json.load(sys.stdin)
    library = ctypes.CDLL(ctypes.util.find_library("espeak-ng"))
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    library.espeak_TextToPhonemes.argtypes = [ctypes.POINTER(ctypes.c_char_p), ctypes.c_int, ctypes.c_int]
    if library.espeak_Initialize(SYNCHRONOUS, 0, None, 0) < 0 or library.espeak_SetVoiceByName(
        question["voice"].encode()
    ):
        sys.exit("libespeak-ng does not start")
    json.dump([clauses(library, text) for text in question["texts"]], sys.stdout)


def clauses(library: ctypes.CDLL, text: str) -> list[str]:
    rest = ctypes.c_char_p(text.encode())
    found = []
    while rest.value:
        phonemes = library.espeak_TextToPhonemes(ctypes.byref(rest), UTF8, IPA)
        found.append((phonemes or b"").decode().strip())
    return found


if __name__ == "__main__":
    main()
