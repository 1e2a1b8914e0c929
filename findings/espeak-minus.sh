#!/bin/bash
# espeak-ng reads "-5" as "5" in most of its languages, Spanish and Chinese among them: -5 °C becomes 5 °C. One would
# expect the sign to be read, as in English, German and Italian, or to be left out everywhere. The minus sign U+2212 is read
# in nearly all of them, but not in Portuguese, which reads the hyphen: no one character is safe everywhere.
# Seen with espeak-ng 1.52.0 of espeakng-loader 0.2.4 (whose wheel lacks the dictionaries of three languages it lists).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check espeakng-loader==0.2.4

cat >"$folder/minus.py" <<'PYTHON'
import ctypes

import espeakng_loader


class Voice(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("languages", ctypes.c_char_p)]


espeak = ctypes.CDLL(espeakng_loader.get_library_path())
espeak.espeak_Initialize(2, 0, espeakng_loader.get_data_path().encode(), 0)
espeak.espeak_Info.restype = espeak.espeak_TextToPhonemes.restype = ctypes.c_char_p
espeak.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(Voice))


def phonemes(language: str, text: str) -> str:
    assert espeak.espeak_SetVoiceByName(language.encode()) == 0
    buffer = ctypes.create_string_buffer(text.encode())
    pointer = ctypes.c_void_p(ctypes.addressof(buffer))
    found = []
    while pointer.value:
        found.append(espeak.espeak_TextToPhonemes(ctypes.byref(pointer), 1, 2).decode())
    return " ".join(found).strip()


voices, languages = espeak.espeak_ListVoices(None), []
while voices[len(languages)]:
    languages.append(voices[len(languages)].contents.languages[1:].decode())
languages = [language for language in languages if espeak.espeak_SetVoiceByName(language.encode()) == 0]
print(f"espeak-ng {espeak.espeak_Info(None).decode()}, {len(languages)} voices that their language names")
for sign, name in (("-", "the hyphen-minus"), ("\N{MINUS SIGN}", "the minus sign U+2212")):
    lost = [language for language in languages if phonemes(language, f"{sign}5") == phonemes(language, "5")]
    shown = [language for language in ("en-us", "de", "es", "fr", "it", "pt", "cmn") if language in lost]
    print(f"{name}: lost in {len(lost)}; of en-us de es fr it pt cmn: {' '.join(shown)}")
PYTHON

seen=$("$folder/venv/bin/python" "$folder/minus.py" 2>/dev/null)
echo "$seen"
[[ $seen == 'espeak-ng 1.52.0, 138 voices that their language names
the hyphen-minus: lost in 97; of en-us de es fr it pt cmn: es cmn
the minus sign U+2212: lost in 5; of en-us de es fr it pt cmn: pt' ]] || { echo 'this has changed'; exit 1; }
