"""PLS as other programs write it, and as EPUB 3 books bring it."""

import codecs

import pytest

from voxmatrix.errors import BadInputError
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.text.lexicon_file import read_lexicon
from voxmatrix.text.pls import parse_pls

AZURE = """<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" alphabet="ipa" xml:lang="en-US">
  <lexeme><grapheme>BTW</grapheme><alias>By the way</alias></lexeme>
  <lexeme><grapheme>Benigni</grapheme><phoneme>bɛ.ˈniː.nji</phoneme></lexeme>
</lexicon>
"""


def of(*lexemes: str, head: str = '<lexicon alphabet="ipa">') -> Lexicon:
    return parse_pls("\n".join([head, *lexemes, "</lexicon>"]).encode(), "a.pls")


def test_a_file_of_azure_is_read_for_the_voices_of_its_language(tmp_path):
    path = tmp_path / "a.PLS"
    path.write_text(AZURE, encoding="utf-8")
    lexicon = read_lexicon(path)
    assert lexicon.apply("BTW, Benigni.", "en-us") == "By the way, [[bɛˈniːnji]]."
    assert lexicon.apply("BTW, Benigni.", "en-gb") == "BTW, Benigni."


@pytest.mark.parametrize(
    ("lexeme", "said"),
    [
        ("<grapheme>a</grapheme><grapheme>b</grapheme><alias> of \n two </alias>", {"a": "of two", "b": "of two"}),
        ("<grapheme>a</grapheme><phoneme>x</phoneme><phoneme>y</phoneme>", {"a": "[[x]]"}),
        ("<grapheme>a</grapheme><phoneme>x</phoneme><phoneme prefer='true'>y</phoneme>", {"a": "[[y]]"}),
        ("<grapheme>a</grapheme><phoneme>x</phoneme><alias prefer='true'>y</alias>", {"a": "y"}),
        ("<grapheme>a</grapheme><phoneme alphabet='x-sampa'>S@</phoneme>", {"a": "[[ʃə]]"}),
        ("<grapheme>a</grapheme><phoneme alphabet='cmu'>SH</phoneme><alias>b</alias>", {"a": "b"}),
        ("<grapheme>a b</grapheme><phoneme>x. y</phoneme><example>a</example>", {"a b": "[[x y]]"}),
        ("<grapheme>&lt;<!-- -->&#97;</grapheme><alias><![CDATA[R&D]]></alias>", {"<a": "R&D"}),
    ],
)
def test_a_lexeme_has_words_and_how_they_are_said(lexeme, said):
    assert dict(of(f"<lexeme>{lexeme}</lexeme>").entries) == said


def test_of_two_lexemes_the_first_counts():
    lexemes = [f"<lexeme><grapheme>a</grapheme><alias>{said}</alias></lexeme>" for said in ("x", "y")]
    assert of(*lexemes).entries == (("a", "x"),)


def test_a_lexeme_may_have_a_language_and_the_caller_may_know_one():
    data = b"""<lexicon><lexeme><grapheme>a</grapheme><alias>x</alias></lexeme>
    <lexeme xml:lang="fr"><grapheme>b</grapheme><alias>y</alias></lexeme></lexicon>"""
    assert parse_pls(data, "a.pls", "sv-SE") == Lexicon.of({"sv-se": {"a": "x"}, "fr": {"b": "y"}})


def test_prefixes_and_encodings_are_those_of_xml():
    text = AZURE.replace("<lex", "<p:lex").replace("</lex", "</p:lex").replace("xmlns=", "xmlns:p=")
    for tag in ("grapheme", "alias", "phoneme"):
        text = text.replace(f"<{tag}", f"<p:{tag}").replace(f"</{tag}", f"</p:{tag}")
    data = codecs.BOM_UTF16_LE + text.replace("UTF-8", "UTF-16").encode("utf-16-le")
    assert parse_pls(data, "a.pls") == parse_pls(AZURE.encode(), "a.pls")


@pytest.mark.parametrize(
    ("lexeme", "problem"),
    [
        ("<lexeme><alias>x</alias></lexeme>", "line 2: a lexeme has no grapheme"),
        ("<lexeme>\n<grapheme>a</grapheme></lexeme>", "line 2: 'a' has neither"),
        ("\n<lexeme><grapheme>a</grapheme><phoneme alphabet='cmu'>X</phoneme></lexeme>", "line 3: 'a' is in the alp"),
        ("<lexeme><grapheme>a</lexeme>", "line 2: it is not well-formed"),
        ("<lexeme><grapheme>&a;</grapheme></lexeme>", "line 2: it is not well-formed: undefined entity"),
        ("<lexeme xml:lang='?'/>", "line 2: '.' is not the tag"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(lexeme, problem):
    with pytest.raises(BadInputError, match=problem):
        of(lexeme)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not well-formed"),
        (b"<speak/>", "begins with <speak>"),
        (b'<!DOCTYPE lexicon [<!ENTITY a "b">]><lexicon/>', "document type"),
        (b'<!DOCTYPE lexicon SYSTEM "http://127.0.0.1/a.dtd"><lexicon/>', "document type"),
        (b'<?xml version="1.0" encoding="nonsense"?><lexicon/>', "line 1"),
        (b"\xff<lexicon/>", "not well-formed"),
    ],
)
def test_what_is_no_lexicon_is_refused(data, problem):
    with pytest.raises(BadInputError, match=problem):
        parse_pls(data, "a.pls")


def test_a_lexicon_without_words_is_named(tmp_path):
    (tmp_path / "a.pls").write_text("<lexicon/>", encoding="utf-8")
    with pytest.raises(BadInputError, match="lists no words"):
        read_lexicon(tmp_path / "a.pls")
