#!/bin/bash
# espeak-ng pronounces the same number in another way when it is written in words as its language writes them, in one word: German
# 2024, Dutch 345 and French 98 get other sounds than their digits, with vowels that the parts alone do not have ("duizend" is
# said right alone and in "vierduizend"). One would expect the words of a number, which its own dictionaries hold, to be
# safe; a space between hundreds, thousands and the rest, which no speller writes, gives the sounds of the parts back. In French
# the hyphen of quatre-vingt takes the vowel between t and v away, with a space as well.
# Seen with espeak-ng 1.52.0 of espeakng-loader 0.2.4.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check espeakng-loader==0.2.4

cat >"$folder/numbers.py" <<'PYTHON'
import ctypes

import espeakng_loader


espeak = ctypes.CDLL(espeakng_loader.get_library_path())
espeak.espeak_Initialize(2, 0, espeakng_loader.get_data_path().encode(), 0)
espeak.espeak_Info.restype = espeak.espeak_TextToPhonemes.restype = ctypes.c_char_p


def phonemes(language: str, text: str) -> str:
    assert espeak.espeak_SetVoiceByName(language.encode()) == 0
    buffer = ctypes.create_string_buffer(text.encode())
    pointer = ctypes.c_void_p(ctypes.addressof(buffer))
    found = []
    while pointer.value:
        found.append(espeak.espeak_TextToPhonemes(ctypes.byref(pointer), 1, 2).decode())
    return " ".join(found).strip()


def sounds(language: str, text: str) -> str:
    """The phonemes without stress, length and spaces."""
    return "".join(letter for letter in phonemes(language, text) if letter not in "\u02c8\u02cc\u02d0 ")


print(f"espeak-ng {espeak.espeak_Info(None).decode()}")
for language, digits, word, parts in (
    ("de", "2024", "zweitausendvierundzwanzig", "zweitausend vierundzwanzig"),
    ("nl", "345", "driehonderdvijfenveertig", "driehonderd vijfenveertig"),
    ("fr", "98", "quatre-vingt-dix-huit", "quatre vingt dix-huit"),
):
    print(language, *(f"{text}: {sounds(language, text)}" for text in (digits, word, parts)), sep=" | ")
PYTHON

seen=$("$folder/venv/bin/python" "$folder/numbers.py" 2>/dev/null)
echo "$seen"
[[ $seen == 'espeak-ng 1.52.0
de | 2024: tsvaɪtaʊzəntfiɾʊnttsvantsɪç | zweitausendvierundzwanzig: tsvaɪtaʊzɛndvirʊnttsvantsɪç | zweitausend vierundzwanzig: tsvaɪtaʊzəntfirʊnttsvantsɪç
nl | 345: drihɔndərtvɛɪfɛnfɪrtəx | driehonderdvijfenveertig: drihɔndɛrdvɛɪfənvɪrtəx | driehonderd vijfenveertig: drihɔndərtvɛɪfənvɪrtəx
fr | 98: katʁəvɛ̃dizyit | quatre-vingt-dix-huit: katʁvɛ̃dizyit | quatre vingt dix-huit: katʁvɛ̃dizyit' ]] || { echo 'this has changed'; exit 1; }
