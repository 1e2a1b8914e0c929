"""Where speech stands in the paragraphs of a book."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation.say_as import SAY_AS
from voxmatrix.text.speech.language import SpeechOfLanguage, speech_of
from voxmatrix.text.speech.quotes import Marks, Quotes, closing_of, has_word, opens, pieces_with_words
from voxmatrix.text.speech.untagged import untagged
from voxmatrix.text.symbols import GIVEN_PHONEMES

#: Phonemes and words with a mark: no speech begins or ends within them.
_WORDS = lazy_pattern(f"{GIVEN_PHONEMES}|{SAY_AS}")
#: Has no case: neither a name nor in the middle of a sentence.
_LETTER = "\u05d0"
#: Marks that are much rarer than the usual ones of a book enclose titles and words, and dashes items of lists.
_RARE = 0.1
_FEWEST_DASHES, _FEWEST_HYPHENS = 0.02, 0.05
_BEGINS_WITH_DASH = lazy_pattern(r"(?:^|:\s*|^[\u00ab\u00bb]\s+)(?:--|[\u2014\u2013\u2015])\s*(?![\s\u2014\u2013-])")
_BEGINS_WITH_HYPHEN = lazy_pattern(r"-\s*[\w\u00a1\u00bf]")
#: `'` where it may open speech; some words begin with an apostrophe.
_STRAIGHT = lazy_pattern(
    r"(?<![\w.,;:!?'\"])'(?=[\w\u2014\u2013\u2026])(?!(?i:t(?:is|was|were|will|would|il)|em|bout|gainst|neath)\b)"
)
_CURLY = "\u2018"
#: It does so in books that have few other marks and not only some titles and words in `'…'`.
_MOST_STRAIGHT, _FEWEST_STRAIGHT = 3, 0.05
#: How far the end of a quotation is looked for whose paragraphs do not begin with a mark.
_MAX_PARAGRAPHS = 8
#: Words in quotation marks that are no speech: few, with no punctuation, in the middle of the narrator's sentence.
_MAX_WORDS = 4
#: How much is looked at before them.
_SEEN = 30
_PUNCTUATED = lazy_pattern(r"[.,;:!?\u2026\u2014\u2013-]\W*$")
_BEFORE_SPEECH = lazy_pattern(r"[.,;:!?\u2026\u2014\u2013-]\W*$|^\W*$")
_SENTENCE_GOES_ON = lazy_pattern(r"\W*\s[^\W\d_A-Z]|\W*$|[-\u2011]\w|['\u2019]?s\b")
_GOES_ON_AT_ONCE = lazy_pattern(r"\s[^\W\d_A-Z]")
#: A name may go on with it as well, if no punctuation parts them: he read the “Times” Sunday issue.
_SMALL_WORD = lazy_pattern(r"(?<!\w)[^\W\d_A-Z][\w'\u2019-]*\s$")
_NAME = lazy_pattern(r"\s[A-Z\u00c0-\u00de]")


class SpokenPart(NamedTuple):
    """A part of a paragraph that somebody says, with its quotation marks or the dash that opens it."""

    paragraph: int  # index
    start: int  # characters of the paragraph
    end: int
    #: The same speech has begun in the paragraph before.
    continued: bool = False
    #: The same speech goes on in the next paragraph.
    continues: bool = False


def spoken_parts(paragraphs: Sequence[str], language: str, marks: Marks | None = None) -> list[SpokenPart]:
    """What is said in the paragraphs of a chapter, in order. No part begins or ends within a tag or phonemes.

    Args:
        paragraphs: whose whitespace is single spaces.
        language: e.g. `sv` or `en-US`.
        marks: those of the book (`marks_of`); those of these paragraphs without them.
    """
    marks = marks or marks_of(paragraphs, language)
    plain = [untagged(paragraph) for paragraph in paragraphs]
    texts = [_in_letters(one.text) for one in plain]
    found = _spoken(_with_curly_marks(texts) if marks.straight else texts, language, marks)
    spans = (plain[part.paragraph].span(part.start, part.end) for part in found)
    return [part._replace(start=start, end=end) for part, (start, end) in zip(found, spans, strict=True)]


def marks_of(paragraphs: Sequence[str], language: str) -> Marks:
    """The marks with which a book writes speech: the usual ones, without those that are rare beside them."""
    paragraphs = [_in_letters(untagged(paragraph).text) for paragraph in paragraphs]
    opened = _opened(paragraphs)
    straight = False
    if not speech_of(language).dash and any("'" in paragraph for paragraph in paragraphs):
        curly = _opened(_with_curly_marks(paragraphs))
        straight = curly[_CURLY] > max(_MOST_STRAIGHT * opened.total(), _FEWEST_STRAIGHT * len(paragraphs))
        opened = curly if straight else opened
    dashes = hyphens = 0
    if speech_of(language).dash:
        dashes = sum(_BEGINS_WITH_DASH.search(paragraph) is not None for paragraph in paragraphs)
        hyphens = sum(_BEGINS_WITH_HYPHEN.match(paragraph) is not None for paragraph in paragraphs)
    with_hyphens = hyphens > max(2, _FEWEST_HYPHENS * len(paragraphs), dashes)
    with_dashes = with_hyphens or dashes > _FEWEST_DASHES * len(paragraphs)
    most = max(*opened.values(), dashes if with_dashes else 0, hyphens if with_hyphens else 0, 0, 0)
    openings = frozenset(mark for mark, count in opened.items() if count >= _RARE * most)
    return Marks(openings, dashes=with_dashes, hyphens=with_hyphens, straight=straight)


def _opened(paragraphs: Iterable[str]) -> Counter[str]:
    """How many quotations each mark opens."""
    reader = Quotes(dialogue=True, emphasis=False, language="")
    opened: Counter[str] = Counter()
    for paragraph in paragraphs:
        opened.update(part[0] for kind, part in reader.parts(paragraph) if kind and has_word(part))
        reader.end_paragraph()
    return opened


def _with_curly_marks(paragraphs: Iterable[str]) -> list[str]:
    """Paragraphs of the same lengths whose `'…'` are ‘…’, and whose apostrophes are ’."""
    return [_STRAIGHT.sub(_CURLY, paragraph).replace("'", "\u2019") for paragraph in paragraphs]


def _in_letters(text: str) -> str:
    """A text of the same length with letters in place of phonemes and marks, which may have quotation marks in them."""
    return _WORDS.sub(lambda word: _LETTER * len(word[0]), text) if "[" in text else text


def _spoken(paragraphs: Sequence[str], language: str, marks: Marks) -> list[SpokenPart]:
    reader = Quotes(dialogue=True, emphasis=False, language=language, marks=marks)
    found: list[SpokenPart] = []
    continued, until = False, -1  # the last paragraph of an open quotation
    for index, paragraph in enumerate(paragraphs):
        if index < until:
            found += _inside(index, paragraph, reader, continues=True)
            continue
        place = _end_of_open(paragraph, reader.closing) if index == until else 0
        own = _inside(index, paragraph[:place], reader)
        reader.end_paragraph()
        own += _of_paragraph(index, paragraph, place, reader)
        continues, until = False, -1
        if reader.is_open:
            continues, until = _goes_on(paragraphs, index, reader)
        if own and continued:
            own[0] = own[0]._replace(continued=True)
        if own and continues:
            own[-1] = own[-1]._replace(continues=True)
        found += own
        continued = continues
    return found


def _inside(index: int, text: str, reader: Quotes, *, continues: bool = False) -> list[SpokenPart]:
    """The spoken parts of a paragraph, or of its beginning, over which an open quotation goes on."""
    pieces = pieces_with_words((said, text[start:end]) for said, start, end in reader.inside(text))
    parts = list(_with_words(index, 0, pieces))
    if parts:
        parts[0] = parts[0]._replace(continued=True)
        parts[-1] = parts[-1]._replace(continues=continues)
    return parts


def _of_paragraph(index: int, paragraph: str, place: int, reader: Quotes) -> list[SpokenPart]:
    """The spoken parts of a paragraph behind a place."""
    parts = _with_words(index, place, reader.split(paragraph[place:]))
    return [part for part in parts if not _is_only_words(paragraph, part.start, part.end, reader.language)]


def _with_words(index: int, place: int, pieces: Iterable[tuple[object, str]]) -> Iterator[SpokenPart]:
    """The pieces of a paragraph that somebody says, without the spaces around them."""
    for said, piece in pieces:
        if said and has_word(piece):
            yield SpokenPart(index, place + len(piece) - len(piece.lstrip()), place + len(piece.rstrip()))
        place += len(piece)


def _is_only_words(paragraph: str, start: int, end: int, language: SpeechOfLanguage) -> bool:
    """Whether a quotation is a title or a word that the narrator quotes: the “Daily News” came.

    Where the verbs of saying are known, it is one unless such a verb or punctuation stands before it.
    """
    closing = closing_of(paragraph[start])
    if closing is None:
        return False
    while end > start + 1 and paragraph[end - 1] not in closing and not paragraph[end - 1].isalnum():
        end -= 1
    inner, before = paragraph[start + 1 : end - 1].strip(), paragraph[max(0, start - _SEEN) : start]
    if len(inner.split()) > _MAX_WORDS or _PUNCTUATED.search(inner):
        return False
    goes_on = _SENTENCE_GOES_ON.match(paragraph, end) is not None
    if language.says is None:
        return _BEFORE_SPEECH.search(before) is None and (goes_on or _has_name_behind(paragraph, end, before))
    if _BEFORE_SPEECH.search(before) is None:
        return goes_on or language.says.search(before) is None
    if before and not (inner[:1].islower() and before.rstrip().endswith(",")):
        return False
    return _GOES_ON_AT_ONCE.match(paragraph, end) is not None and not language.says.search(paragraph, end, end + _SEEN)


def _has_name_behind(paragraph: str, end: int, before: str) -> bool:
    """Whether a title and a capitalised word stand in the middle of a sentence."""
    punctuated = _PUNCTUATED.search(paragraph, end - 1, end) is not None
    return not punctuated and _SMALL_WORD.search(before) is not None and _NAME.match(paragraph, end) is not None


def _goes_on(paragraphs: Sequence[str], index: int, reader: Quotes) -> tuple[bool, int]:
    """Whether an open quotation goes on in the next paragraph; and the paragraph that closes it, if none has a mark."""
    for later in range(index + 1, min(index + 1 + _MAX_PARAGRAPHS, len(paragraphs))):
        text = paragraphs[later]
        if reader.begins_with_dash(text):
            return False, -1  # the answer of another
        place = next((place for place, one in enumerate(text) if closing_of(one) or one in reader.closing), None)
        if place is None:
            continue
        if opens(text, place) and closing_of(text[place]):
            return later == index + 1 and not text[:place].strip(), -1
        return (True, later) if text[place] in reader.closing else (False, -1)
    return False, -1


def _end_of_open(paragraph: str, closing: str) -> int:
    """Behind the mark that closes a quotation of an earlier paragraph."""
    return next(place for place, one in enumerate(paragraph, start=1) if one in closing)
