"""Sentences in words, as they are for a voice: its language, and what it can say."""

import io
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.toys.family import added, voice_of
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Output, Role, Style
from voxmatrix.speak.output import speak_to
from voxmatrix.speak.synthesize import in_words
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.text.markup import tagged

LEXICON = Lexicon.of({"": {"bo": "Bodo"}, "en": {"gif": "jif"}, "es": {"gif": "guif"}})
DATE = '<speak>Bo came <say-as interpret-as="date" format="dmy">3/5/1998</say-as>.</speak>'


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VoiceCard]:
    with added():
        yield voice_of(tmp_path_factory.mktemp("voices") / "bells.tones")


def said(text: str, card: VoiceCard, style: Style) -> list[tuple[str, str]]:
    return [(sentence.text, sentence.source) for sentence in in_words([tagged(text)], card, style)]


@pytest.mark.parametrize(("takes_phonemes", "spoken"), [(True, "The [[kOk]]."), (False, "The Koko.")])
def test_a_voice_without_phonemes_says_the_word(takes_phonemes: bool, spoken: str, voice: VoiceCard) -> None:
    able = replace(voice, capabilities=replace(voice.capabilities, phonemes=takes_phonemes))
    for text in ("The [Koko](/kOk\u02d0/).", '<speak>The <phoneme ph="kOk\u02d0">Koko</phoneme>.</speak>'):
        assert said(text, able, Style()) == [(spoken.replace("k]]", "k\u02d0]]"), "The Koko.")]


@pytest.mark.parametrize(("takes_phonemes", "spoken"), [(True, "I have red it."), (False, "I have read it.")])
def test_a_voice_without_phonemes_reads_words_of_two_readings(
    takes_phonemes: bool, spoken: str, voice: VoiceCard
) -> None:
    able = replace(voice, capabilities=replace(voice.capabilities, phonemes=takes_phonemes))
    assert said("I have read it.", able, Style()) == [(spoken, "I have read it.")]
    assert said("I have read it.", able, Style(normalised=False)) == [("I have read it.", "I have read it.")]


def test_the_words_of_a_user_are_stronger_than_contexts(voice: VoiceCard) -> None:
    lexicon = Lexicon.of({"": {"read": "reed"}})
    able = replace(voice, capabilities=replace(voice.capabilities, phonemes=True))
    assert said("I have read it.", able, Style(lexicon=lexicon)) == [("I have reed it.", "I have read it.")]


def test_captions_have_what_is_written_also_where_a_lexicon_changes_it(voice: VoiceCard) -> None:
    spoken = "came the third of May, nineteen ninety-eight."
    assert said(DATE, voice, Style()) == [(f"Bo {spoken}", "Bo came 3/5/1998.")]
    assert said(DATE, voice, Style(lexicon=LEXICON)) == [(f"Bodo {spoken}", "Bo came 3/5/1998.")]


def test_words_of_a_language_are_for_the_voices_that_speak_it(voice: VoiceCard) -> None:
    style = Style(lexicon=LEXICON, cast={"dora": Role("es_ES-dora-student")})
    assert [text for text, _ in said("A gif. [voice:Dora] Un gif.", voice, style)] == ["A jif.", "Un guif."]


@pytest.mark.parametrize("text", ["Wait [pause 1s] here.", iter(["Wait [pau", "se 1s] he", "re. And on."])])
def test_speech_has_hints_of_marks_that_are_read_aloud(text: str | Iterator[str], voice: VoiceCard) -> None:
    speech = speak_to(io.BytesIO(), text, voice, Style(), output=Output(raw=True))
    assert [warning.remedy for warning in speech.warnings] == ["write [pause:1.5s]"]


@pytest.mark.parametrize("takes_phonemes", [True, False])
@pytest.mark.parametrize(
    ("language", "written", "spoken"),
    [
        ("de", "Am 3. Mai kostet es 27,50 €.", "Am dritten Mai kostet es siebenundzwanzig Euro fünfzig Cent."),
        ("es", "Felipe II tenía 21 cartas.", "Felipe segundo tenía veintiuna cartas."),
        ("fr-fr", "Louis XIV, -5 °C", "Louis quatorze, moins cinq degrés Celsius"),
        ("it", "La 2ª volta", "La seconda volta"),
        ("nl", "2 1/2 uur", "tweeënhalf uur"),
        ("pl", "2 zł", "dwa złote"),
        ("pt-br", "R$ 5,20", "cinco reais e vinte centavos"),
    ],
)
def test_a_voice_of_any_kind_gets_words(
    language: str, written: str, spoken: str, takes_phonemes: bool, voice: VoiceCard
) -> None:
    capabilities = replace(voice.capabilities, phonemes=takes_phonemes)
    able = replace(voice, languages=(language,), capabilities=capabilities)
    assert said(written, able, Style()) == [(spoken, written)]


@pytest.mark.parametrize(
    ("language", "takes_phonemes", "spoken"),
    [("cmn", False, "五月三日"), ("cmn", True, "5月3日"), ("ja", False, "五月三日"), ("ja", True, "5月3日")],
)
def test_only_what_does_not_go_to_espeak_ng_gets_characters(
    language: str, takes_phonemes: bool, spoken: str, voice: VoiceCard
) -> None:
    capabilities = replace(voice.capabilities, phonemes=takes_phonemes)
    able = replace(voice, languages=(language,), capabilities=capabilities)
    assert said("5月3日", able, Style()) == [(spoken, "5月3日")]
