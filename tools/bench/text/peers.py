"""The two front ends that are compared: each turns a text into the phonemes of its sentences."""

import atexit
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any

from voxmatrix.text.front import FrontEnd, front_end
from voxmatrix.text.markup import without_markup
from voxmatrix.text.spoken import SpokenText, spoken_sentences
from voxmatrix.text.symbols import default_map

#: The espeak-ng voice of a language of the test sets, where it has another name.
_VOICES = {"en": "en-us", "fr": "fr-fr", "pt": "pt-br", "zh": "cmn"}


def voice_of(language: str) -> str:
    """The espeak-ng voice of a language."""
    return _VOICES.get(language, language)


def ours(text: str, language: str) -> list[tuple[str, str]]:
    """Each sentence as this project reads it: its words, and the letters among its phonemes."""
    voice = voice_of(language)
    sentences = _front_end(voice).sentences(spoken_sentences(without_markup(text), voice))
    return [(sentence.text, _letters(sentence.phonemes)) for sentence in sentences]


def sounds(words: str, language: str) -> str:
    """The letters among the phonemes of words that need no reading."""
    voice = voice_of(language)
    return _letters(_front_end(voice).sentence(SpokenText(words, words)).phonemes)


def pipers(text: str, language: str) -> list[str]:
    """The letters among the phonemes of each sentence as Piper reads it."""
    return [_letters(sentence) for sentence in _piper().phonemize(voice_of(language), text)]


@cache
def _front_end(voice: str) -> FrontEnd:
    front = front_end(voice, "espeak", default_map("espeak"))
    atexit.register(front.close)
    return front


@cache
def _piper() -> Any:
    from piper.phonemize_espeak import EspeakPhonemizer

    return EspeakPhonemizer()


def _letters(phonemes: Iterable[str]) -> str:
    return "".join(phoneme for phoneme in phonemes if unicodedata.category(phoneme[0])[0] == "L")
