"""The sentences that the original speaks for the fast voice to learn from, and others to compare both with."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from voxmatrix.encoding import CONVERT, not_utf8
from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.text.front import FrontEnd, Sentence, front_end
from voxmatrix.text.markup import without_markup
from voxmatrix.text.prompts import sentence_list
from voxmatrix.text.spoken import spoken_sentences

#: The bundled lists for a language, the most varied first.
_LISTS = {"en": ("harvard", "en"), "es": ("es",), "fr": ("fr",), "sv": ("sv",)}
#: Sentences that are only compared: at most this many, and at most this share of all.
_COMPARED, _COMPARED_SHARE = 40, 0.2
_MIN = 10
#: A book teaches no more than its first sentences.
_MAX = 5000
_MAX_BYTES = 20_000_000
#: Longer sentences take memory without teaching more.
_MAX_SYMBOLS = 400


@dataclass(frozen=True)
class Texts:
    """Sentences to learn from, and to compare with."""

    train: Sequence[Sentence]
    compared: Sequence[Sentence]


def read_texts(config: VoiceConfig, file: Path | None) -> Texts:
    """The sentences of a text file, or the bundled ones for the language of the voice.

    Raises:
        BadInputError: there are none for this language, or too few; or the file cannot be read.
    """
    texts = _bundled(config) if file is None else [_text(file)]
    with front_end(config.espeak_voice, config.phoneme_type, config.id_map, config.vowel_clusters) as front:
        found = {
            sentence.text: sentence
            for sentence in _first(front, texts, config.espeak_voice)
            if len(sentence.ids) <= _MAX_SYMBOLS
        }
    sentences = list(found.values())
    if len(sentences) < _MIN:
        raise BadInputError(
            f"{file or 'the list'} has {len(sentences)} sentences that the voice can speak, and at least {_MIN} "
            "are needed",
            "give more text with `text=FILE`: a few hundred sentences are a good amount",
        )
    return texts_of(sentences)


def texts_of(sentences: Sequence[Sentence]) -> Texts:
    """All of these sentences, some of them only to compare with."""
    every = max(round(1 / _COMPARED_SHARE), len(sentences) // _COMPARED)
    return Texts(
        train=[one for place, one in enumerate(sentences) if place % every],
        compared=sentences[::every][:_COMPARED],
    )


def _first(front: FrontEnd, texts: Sequence[str], language: str) -> list[Sentence]:
    found: list[Sentence] = []
    words = chain.from_iterable(spoken_sentences(without_markup(text), language) for text in texts)
    for sentence in front.sentences(words):
        found.append(sentence)
        if len(found) >= _MAX:
            break
    return found


def _bundled(config: VoiceConfig) -> list[str]:
    language = config.espeak_voice.partition("-")[0]
    if language not in _LISTS:
        raise BadInputError(
            f"there are no bundled sentences for the language of this voice, {config.espeak_voice!r}",
            "give some hundred sentences in it with `text=FILE`, e.g. a chapter of a book",
        )
    return list(chain.from_iterable(map(sentence_list, _LISTS[language])))


def _text(file: Path) -> str:
    with read_errors(file):
        size = file.stat().st_size
        if size > _MAX_BYTES:
            raise BadInputError(f"{file} has {size:,} bytes", "give a smaller file: a few hundred sentences are enough")
        try:
            return file.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInputError(f"{file}: {not_utf8(error)}", CONVERT) from error
