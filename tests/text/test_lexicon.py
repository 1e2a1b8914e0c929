from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.text.front import front_end
from voxmatrix.text.lexicon import Lexicon, read_lexicon
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


def test_a_lexicon_that_is_missing_is_named(tmp_path):
    with pytest.raises(BadInputError, match=r"none\.txt"):
        read_lexicon(tmp_path / "none.txt")


def test_the_front_end_speaks_what_the_lexicon_says():
    lexicon = Lexicon((("gif", "1 jif"), ("pi", "[[xyz]]")))
    with front_end("en-us", "text", default_map("text")) as front:
        words = spoken_sentences(lexicon.apply("A gif. Is pi 3?"), "en-us")
        assert ["".join(sentence.phonemes) for sentence in front.sentences(words)] == ["a one jif.", "is xyz three?"]
