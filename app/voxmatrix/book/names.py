"""Names and foreign words of a book, which a voice may say wrong, as a lexicon to fill in."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from voxmatrix.book.content import Book
from voxmatrix.book.units import sentences
from voxmatrix.text.normalisation.say_as import without_marks

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_CONTRACTION = re.compile(r"I['\u2019]")
_POSSESSIVE = re.compile(r"['\u2019][sS]?\Z")
#: Behind these, a word has a capital because a sentence or quotation begins.
_BEGINS = re.compile(r"[.!?:\u2026\u201c\u201e\u00ab\u00bb\u2018\"'\u2014\u2013(\[-]\s*\Z")
#: Shorter words are initials and the like.
_LEAST_LETTERS = 3
#: A word that stands for a name has a small letter at most this often.
_MAX_SMALL = 0.05
#: A letter that is rarer than this in a book is not of its language.
_RARE_LETTER = 1e-4
#: German writes all nouns with a capital; names seldom have one of these before them.
_DETERMINERS = re.compile(
    r"(?:d(?:er|ie|as|e[nms])|(?:k?ein|[md]ein|sein|ihr|unser|dies|jed|all)(?:e[nmrs]?)?|vom|zu[mr]|[ia]m|[ia]ns|beim|ohne|viele?)"
)
_MAX_DETERMINED = 0.1
_SENTENCE_CHARACTERS = 100


@dataclass(frozen=True, kw_only=True)
class Name:
    """A name or foreign word."""

    word: str
    count: int
    unusual: bool  # it is spelled unlike the other words of the book
    sentence: str  # the first one with it


@dataclass
class _Seen:
    """How a word is written in the book."""

    large: int = 0
    small: int = 0
    within: int = 0  # with a capital, where no sentence begins
    determined: int = 0
    forms: Counter[str] = field(default_factory=Counter)
    sentence: str = ""


def find_names(book: Book, language: str) -> list[Name]:
    """The names and foreign words of a book: those that are spelled unlike its other words first, then by count.

    `language`: in which the book is split into sentences.
    """
    seen: defaultdict[str, _Seen] = defaultdict(_Seen)
    for chapter in book.chapters:
        for sentence in sentences(chapter.paragraphs, language):
            _read(without_marks(sentence.text), seen)
    letters = Counter(letter for key, one in seen.items() for letter in key * (one.large + one.small))
    rare = {letter for letter, count in letters.items() if count < _RARE_LETTER * letters.total()}
    parts = {part for key, one in seen.items() if one.small and not rare & set(key) for part in _parts(key)}
    nouns_are_large = language.lower().startswith("de")
    found = [
        Name(
            word=one.forms.most_common(1)[0][0],
            count=one.large + one.small,
            unusual=bool(rare & set(key)) or not parts.issuperset(_parts(key)),
            sentence=one.sentence,
        )
        for key, one in seen.items()
        if rare & set(key) or _is_name(one, nouns_are_large=nouns_are_large)
    ]
    return sorted(found, key=lambda name: (not name.unusual, -name.count, name.word))


def lexicon_to_fill_in(
    names: Iterable[Name], title: str, language: str, phonemes: Callable[[str], str]
) -> Iterator[str]:
    """The lines of a lexicon whose words are all comments: see `text.lexicon_file`."""
    yield f"# Names and foreign words of {title!r}, as the voice says them.\n"
    yield "# Take the # away before a word that is said wrong, and write its phonemes, or how it would be spelled.\n"
    yield f"[{language}]\n"
    for name in names:
        yield f"\n# {name.count} times: {_shortened(name.sentence, name.word)}\n"
        yield f"#{name.word}|[[{phonemes(name.word)}]]\n"


def _read(text: str, seen: defaultdict[str, _Seen]) -> None:
    """Count the words of a sentence."""
    before, end = "", 0
    for place, match in enumerate(_WORD.finditer(text)):
        word = _POSSESSIVE.sub("", match[0])
        is_word = len(word) >= _LEAST_LETTERS and _CONTRACTION.match(word) is None
        if is_word and not (word.isupper() and before.isupper()):
            one = seen[word.casefold()]
            one.sentence = one.sentence or text
            one.forms[word] += 1
            if word[0].isupper():
                one.large += 1
                one.within += place > 0 and _BEGINS.search(text, end, match.start()) is None
                one.determined += _DETERMINERS.fullmatch(before.casefold()) is not None
            else:
                one.small += 1
        before, end = match[0], match.end()


def _is_name(one: _Seen, *, nouns_are_large: bool) -> bool:
    is_large = one.within > 0 and one.large > 1 and one.small <= _MAX_SMALL * one.large
    return is_large and not (nouns_are_large and one.determined > _MAX_DETERMINED * one.large)


def _parts(word: str) -> Sequence[str]:
    """Every three letters of a word in small letters, its ends included."""
    ended = f" {word} "
    return [ended[place : place + 3] for place in range(len(ended) - 2)]


def _shortened(sentence: str, word: str) -> str:
    """The part of a sentence around a word, on one line."""
    line = " ".join(sentence.split())
    start = max(0, line.find(word) - _SENTENCE_CHARACTERS // 2)
    end = start + _SENTENCE_CHARACTERS
    return ("… " if start else "") + line[start:end].strip() + (" …" if end < len(line) else "")
