"""Lexicons in PLS, W3C's Pronunciation Lexicon Specification, as other programs take and EPUB 3 books bring them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors
from voxmatrix.text.lexicon import Lexicon, is_tag
from voxmatrix.text.phonemes.given import ALPHABETS, given_phonemes

_FORMAT = "write <lexeme><grapheme>word</grapheme><alias>respelling</alias></lexeme>, or <phoneme> for <alias>"
_SAID = ("grapheme", "phoneme", "alias")


def read_pls(path: Path) -> Lexicon:
    """Read a file of PLS.

    Raises:
        BadInputError: it cannot be read, is not well-formed, is no lexicon, or has no words.
    """
    with read_errors(path):
        data = path.read_bytes()
    lexicon = parse_pls(data, str(path))
    if not lexicon.entries and not lexicon.sections:
        raise BadInputError(f"{path} lists no words", f"{_FORMAT}; or leave out `lexicon`")
    return lexicon


def parse_pls(data: bytes, name: str, language: str = "") -> Lexicon:
    """The lexicon in a document. Of several words or pronunciations, the first counts, or the first that is preferred.

    Args:
        data: the document.
        name: what errors call it.
        language: of its words, where it names none.

    Raises:
        BadInputError: it is not well-formed, declares a document type, is no lexicon, or a word lacks how it is said.
    """
    return _Reader(name, language).read(data)


@dataclass
class _Lexeme:
    line: int
    language: str
    words: list[str] = field(default_factory=list)
    #: Elements `phoneme` and `alias`: whether it is preferred, its alphabet, or None for an alias, and its text.
    said: list[tuple[bool, str | None, str]] = field(default_factory=list)


class _Reader:
    def __init__(self, name: str, language: str) -> None:
        self._name, self._language, self._alphabet = name, language, "ipa"
        self._is_root = True
        self._words: dict[str, dict[str, str]] = {}
        self._lexeme: _Lexeme | None = None
        self._attributes: dict[str, str] = {}
        self._text: list[str] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text_of
        self._parser.StartDoctypeDeclHandler = self._refuse_types

    def read(self, data: bytes) -> Lexicon:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            self._fail(f"it is not well-formed: {expat.ErrorString(error.code)}", "close every element", error.lineno)
        except (ValueError, LookupError) as error:
            self._fail(f"its encoding cannot be read: {error}", "save it in UTF-8")
        return Lexicon.of(self._words)

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        name = element.rpartition(" ")[2]
        given = {key.rpartition(" ")[2]: value.strip() for key, value in attributes.items()}
        if self._is_root and name != "lexicon":
            self._fail(f"it is no lexicon of PLS: it begins with <{name}>", f"begin with <lexicon>, then {_FORMAT}")
        if self._is_root:
            self._is_root = False
            self._language = self._tag(given) or self._language
            self._alphabet = given.get("alphabet", self._alphabet)
        elif name == "lexeme":
            self._lexeme = _Lexeme(self._parser.CurrentLineNumber, self._tag(given) or self._language)
        elif name in _SAID:
            self._attributes, self._text = given, []

    def _text_of(self, text: str) -> None:
        self._text.append(text)

    def _end(self, element: str) -> None:
        name = element.rpartition(" ")[2]
        if self._lexeme is None:
            return
        if name == "lexeme":
            self._add(self._lexeme)
            self._lexeme = None
        elif name in _SAID:
            text = " ".join("".join(self._text).split())
            is_preferred = self._attributes.get("prefer", "").lower() in ("true", "1")
            alphabet = self._attributes.get("alphabet", self._alphabet) if name == "phoneme" else None
            if name == "grapheme" and text:
                self._lexeme.words.append(text)
            elif text:
                self._lexeme.said.append((is_preferred, alphabet, text))

    def _add(self, lexeme: _Lexeme) -> None:
        if not lexeme.words:
            self._fail("a lexeme has no grapheme", _FORMAT, lexeme.line)
        if not lexeme.said:
            self._fail(f"{lexeme.words[0]!r} has neither a phoneme nor an alias", _FORMAT, lexeme.line)
        in_order = sorted(lexeme.said, key=lambda one: not one[0])
        for word in lexeme.words:
            spoken = next(filter(None, (_spoken(one[1], one[2], word) for one in in_order)), None)
            if spoken is None:
                named = f"{word!r} is in the alphabet {in_order[0][1]!r}, or has no sounds"
                self._fail(named, f"use the alphabet {' or '.join(ALPHABETS[:2])}, or an alias", lexeme.line)
            self._words.setdefault(lexeme.language, {}).setdefault(word, spoken)

    def _tag(self, given: dict[str, str]) -> str:
        tag = given.get("lang", "")
        if tag and not is_tag(tag):
            self._fail(f"{tag!r} is not the tag of a language", 'write one such as xml:lang="en-GB"')
        return tag

    def _refuse_types(self, *_: object) -> None:
        self._fail("it has a document type", "remove the line <!DOCTYPE …>")

    def _fail(self, problem: str, remedy: str, line: int | None = None) -> NoReturn:
        raise BadInputError(f"{self._name}, line {line or self._parser.CurrentLineNumber}: {problem}", remedy)


def _spoken(alphabet: str | None, text: str, word: str) -> str | None:
    if alphabet is None:
        return text
    phonemes = given_phonemes(text, alphabet, word)
    return phonemes and f"[[{phonemes}]]"
