#!/bin/bash
# piper-tts and espeakng-loader, two packages of espeak-ng, do not write the same phonemes: in piper-tts a glide, ʲ, stands
# behind an i before a vowel, also in the next word (Spanish "mi abuela", "el río"; English "my uncle"). A voice that learned
# with one of them is asked by the other for a sound that it has not heard there. Seen with piper-tts 1.8.0, espeakng-loader
# 0.2.4.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check piper-tts==1.8.0 espeakng-loader==0.2.4

cat >"$folder/piper.py" <<'PYTHON'
import sys

sys.path.pop(0)  # the folder of this file, which is called piper, too
from piper.phonemize_espeak import EspeakPhonemizer

phonemizer = EspeakPhonemizer()
for voice, text in (("es", "mi abuela"), ("es", "el río"), ("es", "la niña"), ("en-us", "my uncle")):
    print(text, "".join(sum(phonemizer.phonemize(voice, text), [])))
PYTHON
cat >"$folder/loader.py" <<'PYTHON'
from ctypes import CDLL, byref, c_char_p, c_int, c_void_p

import espeakng_loader

library = CDLL(espeakng_loader.get_library_path())
library.espeak_TextToPhonemes.argtypes = [c_void_p, c_int, c_int]
library.espeak_TextToPhonemes.restype = c_char_p
synchronous, utf8, ipa = 2, 1, 2
assert library.espeak_Initialize(synchronous, 0, espeakng_loader.get_data_path().encode(), 0) > 0
for voice, text in (("es", "mi abuela"), ("es", "el río"), ("es", "la niña"), ("en-us", "my uncle")):
    assert library.espeak_SetVoiceByName(voice.encode()) == 0
    rest = c_char_p(text.encode())
    print(text, library.espeak_TextToPhonemes(byref(rest), utf8, ipa).decode())
PYTHON

seen=$(for package in piper loader; do
    echo "$package:"
    "$folder/venv/bin/python" "$folder/$package.py" 2>/dev/null
done)
echo "$seen"
[[ $seen == 'piper:
mi abuela miʲ aβwˈela
el río el rˈiʲo
la niña la nˈiɲa
my uncle maɪʲ ˈʌŋkəl
loader:
mi abuela mi aβwˈela
el río el rˈio
la niña la nˈiɲa
my uncle maɪ ˈʌŋkəl' ]] || { echo 'this has changed'; exit 1; }
