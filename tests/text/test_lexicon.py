import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.text.front import front_end
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.text.lexicon_file import lexicon_lines, read_lexicon
from voxmatrix.text.spoken import spoken_sentences
from voxmatrix.text.symbols import default_map

LEXICON = Lexicon(
    (("gif", "jif"), ("US", "United States"), ("new york", "[[nuːjˈɔːɹk]]"), ("o'neill", "oh neel"), ("c++", "see"))
)


def written(folder: Path, text: str) -> Path:
    path = folder / "lexicon.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A GIF, gifs and a Gif.", "A jif, gifs and a jif."),
        ("US, us and USA", "United States, us and USA"),
        ("in New York.", "in [[nuːjˈɔːɹk]]."),
        ("O'Neill's gif-file", "O'Neill's jif-file"),
        ("O'Neill wrote C++!", "oh neel wrote see!"),
        ("[[gif]] gif", "[[gif]] jif"),
    ],
)
def test_whole_words_and_phrases_are_replaced(text, said):
    assert LEXICON.apply(text) == said


@given(st.text())
def test_an_empty_lexicon_changes_no_text(text):
    assert Lexicon().apply(text) == text


@given(
    st.dictionaries(st.text("abC '+", min_size=1).map(str.strip).filter(bool), st.text("xyz", min_size=1), min_size=1),
    st.data(),
)
def test_a_lexicon_that_is_written_is_read_and_each_of_its_words_is_replaced(tmp_path_factory, entries, data):
    path = written(
        tmp_path_factory.mktemp("lexicon"), "# words\n\n" + "".join(f"{k}|{v}\n" for k, v in entries.items())
    )
    lexicon = read_lexicon(path)
    assert dict(lexicon.entries) == entries
    if entries:
        word = data.draw(st.sampled_from(sorted(entries)))
        if word[0].isalpha() and word[-1].isalpha() and " " not in word:
            assert Lexicon(((word, entries[word]),)).apply(f"- {word} -") == f"- {entries[word]} -"


@pytest.mark.parametrize("line", ["word", "|said", "word|", "word|a\nword|b", "word|[[wɜː"])
def test_a_line_of_another_form_is_named_with_its_number(tmp_path, line):
    with pytest.raises(BadInputError, match="line"):
        read_lexicon(written(tmp_path, line))


def test_a_file_with_tabs_is_read_too(tmp_path):
    assert read_lexicon(written(tmp_path, "a b\tsaid | so\n")).entries == (("a b", "said | so"),)


@pytest.mark.parametrize("text", ["", "# word|said\n"])
def test_a_lexicon_without_words_is_named(tmp_path, text):
    with pytest.raises(BadInputError, match=r"lexicon\.txt lists no words"):
        read_lexicon(written(tmp_path, text))


SECTIONS = """\
Anna|ann-ah
gif|jif
[de]
gif|giff
Joghurt|jo gurt
[de-AT]
Joghurt|jo guat
[en_GB]
gif|[[dʒɪf]]
"""


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "ann-ah giff jo guat"),  # a voice of no region
        ("de-DE", "ann-ah giff jo gurt"),
        ("de_at", "ann-ah giff jo guat"),
        ("en-gb", "ann-ah [[dʒɪf]] Joghurt"),
        ("en-gb-x-rp", "ann-ah [[dʒɪf]] Joghurt"),
        ("en-us", "ann-ah jif Joghurt"),
        ("nde", "ann-ah jif Joghurt"),
        ("", "ann-ah jif Joghurt"),
    ],
)
def test_the_words_of_a_language_are_for_its_voices_and_the_first_for_all(tmp_path, language, said):
    assert read_lexicon(written(tmp_path, SECTIONS)).apply("Anna gif Joghurt", language) == said


def test_espeak_names_some_languages_in_another_way(tmp_path):
    assert read_lexicon(written(tmp_path, "[zh]\na|b\n")).apply("a", "cmn") == "b"


@pytest.mark.parametrize("line", ["[]", "[de fr]", "[deutschland]", "[de]\na|b\n[DE]\na|c"])
def test_a_section_is_the_tag_of_one_language_and_its_words_are_listed_once(tmp_path, line):
    with pytest.raises(BadInputError, match="line"):
        read_lexicon(written(tmp_path, f"x|y\n{line}\n"))


def test_a_lexicon_that_is_written_again_is_the_same(tmp_path):
    lexicon = Lexicon.of({"": {"#tag": "hash tag", "a b": "[[ab]]"}, "de": {"C#": "see sharp"}})
    assert read_lexicon(written(tmp_path, "".join(lexicon_lines(lexicon)))) == lexicon


@pytest.mark.parametrize(
    ("stronger", "language", "said"),
    [
        ({"": {"gif": "GIF"}}, "de", "ann-ah GIF GIF"),
        ({"": {"GIF": "g"}}, "de", "ann-ah giff g"),
        ({"de": {"gif": "GIF"}}, "de", "ann-ah GIF GIF"),
        ({"de": {"gif": "GIF"}}, "en-us", "ann-ah jif jif"),
        ({"en": {"gif": "GIF"}}, "en-gb", "ann-ah GIF GIF"),
    ],
)
def test_the_words_of_another_lexicon_are_stronger_in_every_section(tmp_path, stronger, language, said):
    lexicon = read_lexicon(written(tmp_path, SECTIONS)).under(Lexicon.of(stronger))
    assert lexicon.apply("Anna gif GIF", language) == said


DECOMPOSED = unicodedata.normalize("NFD", "José")


@pytest.mark.parametrize(("word", "text"), [("José", DECOMPOSED), (DECOMPOSED, "José"), ("José", "José")])
def test_accents_that_are_characters_of_their_own_match(tmp_path, word, text):
    lexicon = read_lexicon(written(tmp_path, f"{word}|ho-say\n"))
    assert lexicon.apply(f"{text}!") == "ho-say!"
    assert lexicon.needed(text) == lexicon
    assert Lexicon(((word, "ho-say"),)).apply(text) == "ho-say"


def test_phonemes_keep_their_accents_apart():
    nasal = unicodedata.normalize("NFD", "ã")
    assert Lexicon((("x", "y"),)).apply(f"{DECOMPOSED} [[{nasal}]]") == f"José [[{nasal}]]"


def test_what_say_as_marks_is_no_word_of_a_lexicon():
    text = "[say-as:date dmy|3/5/1998]"
    assert Lexicon((("date", "x"), ("3/5/1998", "y"))).apply(text) == text


def test_a_lexicon_that_is_missing_is_named(tmp_path):
    with pytest.raises(BadInputError, match=r"none\.txt"):
        read_lexicon(tmp_path / "none.txt")


def test_the_front_end_speaks_what_the_lexicon_says():
    lexicon = Lexicon((("gif", "1 jif"), ("pi", "[[xyz]]")))
    with front_end("en-us", "text", default_map("text")) as front:
        words = spoken_sentences(lexicon.apply("A gif. Is pi 3?"), "en-us")
        assert ["".join(sentence.phonemes) for sentence in front.sentences(words)] == ["a one jif.", "is xyz three?"]
