from collections.abc import Iterator
from functools import partial

import pytest

from voxmatrix.errors import MissingProgramError
from voxmatrix.text.front import FrontEnd, Sentence, front_end
from voxmatrix.text.phonemes.phonemizer import phonemizer
from voxmatrix.text.spoken import SpokenText, spoken_sentences
from voxmatrix.text.symbols import IdMap, default_map, to_ids


class Reader(FrontEnd):
    """A front end that is given written text."""

    def __init__(self, language: str, phoneme_type: str, id_map: IdMap) -> None:
        super().__init__(phonemizer(phoneme_type, language), partial(to_ids, id_map=id_map))
        self._language = language

    def read(self, text: str) -> Iterator[Sentence]:
        return self.sentences(spoken_sentences(text, self._language))

    def left_out(self, text: str) -> list[str]:
        """Why sentences cannot be spoken."""
        sentences = [self.sentence(words) for words in spoken_sentences(text, self._language)]
        return [sentence.finding.problem for sentence in sentences if sentence.finding]


@pytest.fixture
def letters() -> Reader:
    return Reader("en-us", "text", default_map("text"))


def test_sentences_come_one_by_one_with_their_ids(letters):
    first, second = letters.read("Dr. Smith paid $5. Why?")
    assert first.text == "Doctor Smith paid five dollars."
    assert second.text == "Why?"
    assert second.phonemes == ["w", "h", "y", "?"]
    assert second.ids == to_ids(second.phonemes, default_map("text"))[0]


def test_sentences_are_made_only_when_they_are_asked_for(letters):
    assert next(letters.read("One. " * 100_000)).text == "One."


def test_what_cannot_be_said_is_left_out_and_named():
    with Reader("en-us", "text", default_map("text")) as front:
        assert [sentence.text for sentence in front.read("Hello. 你好。 Bye.")] == ["Hello.", "Bye."]
        left_out = front.sentence(SpokenText("你好。", "你好。"))
    assert left_out.unknown == {"你", "好", "。"} and not left_out.ids
    assert left_out.finding and left_out.finding.severity == "warning" and "left out" in left_out.finding.problem


def test_a_symbol_that_the_voice_lacks_is_named():
    with Reader("en-us", "text", {"_": [0], "^": [1], "$": [2], "a": [3]}) as front:
        sentences = list(front.read("Ab. Ab. Ab."))
    assert [sentence.ids for sentence in sentences] == [[1, 0, 3, 0, 2]] * 3
    assert {symbol for sentence in sentences for symbol in sentence.unknown} == {"b", "."}


def test_ten_thousand_characters_become_bearable_pieces(letters):
    sentences = list(letters.read("word and " * 1100))
    assert len(sentences) > 20
    assert max(len(sentence.phonemes) for sentence in sentences) <= 400


def test_a_missing_espeak_ends_the_first_sentence(monkeypatch):
    monkeypatch.setenv("VOXMATRIX_ESPEAK", "no-such-library.so")
    with Reader("en-us", "espeak", default_map("espeak")) as front, pytest.raises(MissingProgramError):
        next(front.read("Hello."))


def test_an_old_espeak_is_a_warning_about_the_whole_text(server):
    server("""
import json, sys
print(json.dumps({"version": "1.51"}), flush=True)
for line in sys.stdin:
    print(json.dumps([[["a", len(text)]] for text in line.split("\t")[:-1]]), flush=True)
""")
    with Reader("en-us", "espeak", default_map("espeak")) as front:
        assert [sentence.phonemes for sentence in front.read("Hello.")] == [["a", "."]]
        assert [warning.severity for warning in front.warnings()] == ["warning"]
        assert "1.51" in front.warnings()[0].problem


def test_letters_need_no_espeak_and_bring_no_warning(letters):
    assert letters.warnings() == ()


@pytest.mark.espeak
def test_a_sentence_through_espeak_has_its_punctuation_and_no_unknown_symbols():
    with Reader("en-us", "espeak", default_map("espeak")) as front:
        sentence = next(front.read("Dr. Smith paid $5.20, didn't he?"))
        assert sentence.phonemes.count(",") == 1 and sentence.phonemes[-1] == "?"
        assert not sentence.unknown


def test_a_sentence_that_ends_espeak_leaves_those_beside_it(server):
    server("""
import json, os, sys
print(json.dumps({"version": "1.52.0"}), flush=True)
for line in sys.stdin:
    if "poison" in line:
        os._exit(1)
    print(json.dumps([[["a", len(text)]] for text in line.split("\t")[:-1]]), flush=True)
""")
    with Reader("en-us", "espeak", default_map("espeak")) as front:
        spoken = [sentence.text for sentence in front.read("One. Two. The poison. Three. Four.")]
        left_out = front.left_out("One. Two. The poison. Three. Four.")
    assert spoken == ["One.", "Two.", "Three.", "Four."]
    assert ["The poison." in problem for problem in left_out] == [True]


@pytest.mark.peers
@pytest.mark.espeak
def test_clusters_of_vowels_are_merged_as_in_piper():
    from piper.phonemize_espeak import _merge_known_vowel_clusters

    clusters = frozenset({("a", "ɪ"), ("o", "ʊ")})
    id_map = {**default_map("espeak"), "aɪ": [161], "oʊ": [165]}
    with (
        front_end("en-us", "espeak", default_map("espeak")) as plain,
        front_end("en-us", "espeak", id_map, clusters) as it,
    ):
        apart = plain.sentence(SpokenText("I know my own way home.", "")).phonemes
        together = it.sentence(SpokenText("I know my own way home.", ""))
    assert list(together.phonemes) == _merge_known_vowel_clusters(apart, set(clusters))
    assert {161, 165} <= set(together.ids)
