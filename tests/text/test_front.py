import pytest

from voxmatrix.errors import MissingProgramError
from voxmatrix.text.front import FrontEnd
from voxmatrix.text.symbols import default_map, to_ids


@pytest.fixture
def letters() -> FrontEnd:
    return FrontEnd("en-us", "text", default_map("text"))


def test_sentences_come_one_by_one_with_their_ids(letters):
    first, second = letters.sentences("Dr. Smith paid $5. Why?")
    assert first.text == "Doctor Smith paid five dollars."
    assert second.text == "Why?"
    assert second.phonemes == ["w", "h", "y", "?"]
    assert second.ids == to_ids(second.phonemes, default_map("text"))[0]
    assert letters.findings == []


def test_sentences_are_made_only_when_they_are_asked_for(letters):
    assert next(letters.sentences("One. " * 100_000)).text == "One."


def test_what_cannot_be_said_is_left_out_and_named():
    with FrontEnd("en-us", "text", default_map("text")) as front:
        assert [sentence.text for sentence in front.sentences("Hello. 你好。 Bye.")] == ["Hello.", "Bye."]
    problems = " ".join(finding.problem for finding in front.findings)
    assert "你" in problems and "left out" in problems
    assert all(finding.severity == "warning" for finding in front.findings)


def test_a_symbol_that_the_voice_lacks_is_named_once():
    with FrontEnd("en-us", "text", {"_": [0], "^": [1], "$": [2], "a": [3]}) as front:
        sentences = list(front.sentences("Ab. Ab. Ab."))
    assert [sentence.ids for sentence in sentences] == [[1, 0, 3, 0, 2]] * 3
    assert sum("'b'" in finding.problem for finding in front.findings) == 1


def test_ten_thousand_characters_become_bearable_pieces(letters):
    sentences = list(letters.sentences("word and " * 1100))
    assert len(sentences) > 20
    assert max(len(sentence.phonemes) for sentence in sentences) <= 400


def test_a_missing_espeak_ends_the_first_sentence(monkeypatch):
    monkeypatch.setenv("VOXMATRIX_ESPEAK", "no-such-library.so")
    with FrontEnd("en-us", "espeak", default_map("espeak")) as front, pytest.raises(MissingProgramError):
        next(front.sentences("Hello."))


def test_an_old_espeak_is_a_warning_about_the_whole_text(server):
    server("""
import json, sys
print(json.dumps({"version": "1.51"}), flush=True)
for line in sys.stdin:
    print(json.dumps([[["a", len(text)]] for text in json.loads(line)]), flush=True)
""")
    with FrontEnd("en-us", "espeak", default_map("espeak")) as front:
        assert [sentence.phonemes for sentence in front.sentences("Hello.")] == [["a", "."]]
        assert [warning.severity for warning in front.warnings()] == ["warning"]
        assert "1.51" in front.warnings()[0].problem and front.findings == []


def test_letters_need_no_espeak_and_bring_no_warning(letters):
    assert letters.warnings() == ()


@pytest.mark.espeak
def test_a_sentence_through_espeak_has_its_punctuation_and_no_unknown_symbols():
    with FrontEnd("en-us", "espeak", default_map("espeak")) as front:
        sentence = next(front.sentences("Dr. Smith paid $5.20, didn't he?"))
        assert sentence.phonemes.count(",") == 1 and sentence.phonemes[-1] == "?"
        assert front.findings == []


def test_a_sentence_that_ends_espeak_leaves_those_beside_it(server):
    server("""
import json, os, sys
print(json.dumps({"version": "1.52.0"}), flush=True)
for line in sys.stdin:
    if "poison" in line:
        os._exit(1)
    print(json.dumps([[["a", len(text)]] for text in json.loads(line)]), flush=True)
""")
    with FrontEnd("en-us", "espeak", default_map("espeak")) as front:
        spoken = [sentence.text for sentence in front.sentences("One. Two. The poison. Three. Four.")]
    assert spoken == ["One.", "Two.", "Three.", "Four."]
    assert ["The poison." in finding.problem for finding in front.findings] == [True]
