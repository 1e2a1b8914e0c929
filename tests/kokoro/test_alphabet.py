"""The phonemes of espeak-ng become the alphabet that Kokoro has learned, in every language that it speaks."""

import pytest

from voxmatrix.kokoro.alphabet import TIE, symbols, to_ids, to_misaki
from voxmatrix.kokoro.names import LANGUAGES
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer

SENTENCES = {
    "en-us": "The boy's voice, a little later: “Judge not!” — which church? Bottles were measured nowhere; go home.",
    "en-gb": "The boy's voice, a little later: “Judge not!” — which church? Bottles were measured nowhere; go home.",
    "es": "¿Dónde está la niña? El perro corrió rápido; llueve y hace mucho frío, señor Jiménez.",
    "fr-fr": "Où est l'enfant ? Un garçon mange du pain, bien sûr ; il a vingt-quatre ans, Monsieur.",
    "hi": "नमस्ते, आप कैसे हैं? मुझे यह किताब बहुत पसंद है।",
    "it": "Gli gnocchi sono buoni, vero? Perché la pizza è già fredda; che peccato!",
    "pt-br": "A menina não está aqui; onde fica o coração de São Paulo? Amanhã vai chover, senhor.",
}


@pytest.mark.parametrize(
    ("phonemes", "language", "read"),
    [
        ("bˈɔ^ɪ", "en-us", "bˈY"),
        ("ɡˈo^ʊ", "en-us", "ɡˈO"),
        ("ɡˈə^ʊ", "en-gb", "ɡˈQ"),
        ("t^ʃˈɜːt^ʃ", "en-us", "ʧˈɜɹʧ"),
        ("d^ʒˈʌd^ʒ", "en-gb", "ʤˈʌʤ"),
        ("hˈe^ə", "en-gb", "hˈɛː"),
        ("lˈɪɾə^l", "en-us", "lˈɪɾᵊl"),
        ("bˈʌʔn\u0329", "en-us", "bˈʌtn"),
        ("ˈiːvn\u0329", "en-us", "ˈivᵊn"),
        ("lˈe^ɪɾɚ", "en-us", "lˈAɾəɹ"),
        ("fˈɔːɹ", "en-us", "fˈɔɹ"),
        ("t^ʃˈiko", "es", "ʧˈiko"),
        ("d^zˈɛro", "it", "ʣˈɛro"),
        ("ɡaʁsˈɔ\u0303", "fr-fr", "ɡaʁsˈɔ\u0303"),
    ],
)
def test_a_phoneme_of_several_letters_is_one_symbol(phonemes: str, language: str, read: str) -> None:
    assert to_misaki(phonemes, language) == read


def test_a_language_is_tried_for_each_letter_of_names() -> None:
    assert {language for language, _ in LANGUAGES.values()} == set(SENTENCES)


@pytest.mark.espeak
@pytest.mark.parametrize("language", SENTENCES)
def test_kokoro_has_learned_every_phoneme_of_its_languages(language: str) -> None:
    with EspeakPhonemizer(language, tie=TIE, convert=lambda text: to_misaki(text, language)) as espeak:
        (phonemes,) = espeak.phonemes([SENTENCES[language]])
    ids, unknown = to_ids(phonemes)
    assert unknown == set()
    assert len(ids) == len(phonemes) > 40
    assert TIE not in phonemes


@pytest.mark.espeak
def test_phonemes_in_brackets_are_kokoros_own() -> None:
    with EspeakPhonemizer("en-us", tie=TIE, convert=lambda text: to_misaki(text, "en-us")) as espeak:
        (phonemes,) = espeak.phonemes(["I say [[kˈOkəɹO]] here."])
    assert " kˈOkəɹO " in "".join(phonemes)


def test_every_symbol_is_one_character_with_an_id_of_its_own() -> None:
    assert all(len(symbol) == 1 for symbol in symbols())
    assert len(set(symbols().values())) == len(symbols()) == 114
