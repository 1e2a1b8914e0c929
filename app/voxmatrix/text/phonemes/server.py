"""The process that loads libespeak-ng, which is under the GPL: texts in, their clauses out.

Run by path, so that it needs nothing but the standard library:  python -I -S server.py VOICE MODE LIBRARY...
MODE is the phoneme mode of espeak_TextToPhonemes (speak_lib.h).
The first line out is a `version`, or an `error` (`library` or `voice`) with its `detail`. Then each line in, texts in
`unicode_escape` with a tab behind each, is answered by a list for each text: of [phonemes, characters read so far], one
pair for each clause. Lines out are JSON, written without the package json: to import it takes as long as all else here.
"""

import ctypes
import os
import sys

_SYNCHRONOUS, _UTF8 = 2, 1
_NOTHING = ctypes.create_string_buffer(b"")


def main() -> None:
    """Load the first library that can be loaded, then answer until standard input ends."""
    voice, mode, *paths = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the library prints stays out of the answers

    def say(answer: object) -> None:
        answers.write(_json(answer).encode() + b"\n")
        answers.flush()

    library, detail = _load(paths)
    if library is None:
        say({"error": "library", "detail": detail})
        return
    version = library.espeak_Info(None).decode().split()[0]
    if not _set_voice(library, voice.encode()):
        say({"version": version, "error": "voice", "detail": ""})
        return
    say({"version": version})
    for line in sys.stdin.buffer:
        texts = [text.decode("unicode_escape") for text in line.split(b"\t")[:-1]]
        say([_clauses(library, text.encode("utf-8", "replace"), int(mode)) for text in texts])


def _load(paths: list[str]) -> tuple[ctypes.CDLL | None, str]:
    """The library, ready to be asked; or None, and why each file is no use."""
    problems = []
    for path in paths:
        try:
            library = ctypes.CDLL(path)
            library.espeak_TextToPhonemes.restype = library.espeak_Info.restype = ctypes.c_char_p
            library.espeak_TextToPhonemes.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_int]
            library.espeak_SetVoiceByProperties.argtypes = [ctypes.POINTER(_Voice)]
            if library.espeak_Initialize(_SYNCHRONOUS, 0, _data(path), 0) > 0:
                return library, ""
            problems.append(f"{path}: it finds no data")
        except (OSError, AttributeError) as error:
            problems.append(f"{path}: {error}")
    return None, "; ".join(problems)


def _data(library: str) -> bytes | None:
    """The data beside the library, by a relative path, since long ones are truncated; None: the library's own."""
    folder = os.path.dirname(os.path.abspath(library))
    if not os.path.isdir(os.path.join(folder, "espeak-ng-data")):
        return None
    os.chdir(folder)
    return b"espeak-ng-data"


def _set_voice(library: ctypes.CDLL, name: bytes) -> bool:
    """A voice by its name, or by a language that it speaks (`sv-SE`)."""
    return not library.espeak_SetVoiceByName(name) or not library.espeak_SetVoiceByProperties(_Voice(languages=name))


class _Voice(ctypes.Structure):
    """espeak_VOICE of speak_lib.h."""

    _fields_ = (
        *((name, ctypes.c_char_p) for name in ("name", "languages", "identifier")),
        *((name, ctypes.c_ubyte) for name in ("gender", "age", "variant", "xx1")),
        ("score", ctypes.c_int),
        ("spare", ctypes.c_void_p),
    )


def _clauses(library: ctypes.CDLL, text: bytes, mode: int) -> list[tuple[str, int]]:
    buffer = ctypes.create_string_buffer(text)
    start = ctypes.addressof(buffer)
    position = ctypes.c_void_p(start)
    found = []
    read = characters = 0
    while position.value is not None:
        phonemes = library.espeak_TextToPhonemes(ctypes.byref(position), _UTF8, mode)
        end = len(text) if position.value is None else position.value - start
        characters += len(text[read:end].decode("utf-8", "replace"))
        read = end
        found.append(((phonemes or b"").decode("utf-8", "replace"), characters))
    # A mark that the library still holds would be read before the next text.
    library.espeak_TextToPhonemes(ctypes.byref(ctypes.c_void_p(ctypes.addressof(_NOTHING))), _UTF8, mode)
    return found


def _json(value: object) -> str:
    if isinstance(value, str):
        units = value.encode("utf-16-be", "surrogatepass").hex()
        return '"' + "".join("\\u" + units[at : at + 4] for at in range(0, len(units), 4)) + '"'
    if isinstance(value, dict):
        return "{" + ",".join(f"{_json(key)}:{_json(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_json, value)) + "]"
    return str(value)


if __name__ == "__main__":
    main()
