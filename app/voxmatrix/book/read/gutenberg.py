"""What Project Gutenberg puts around a book: a header with title and author, and its licence, known by their marks.

A book about Project Gutenberg may quote them: the marks count only at the ends of the text, and in their whole form.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from voxmatrix.book.read.passage import Document, Passage

KIND = "boilerplate"
_NAME = r"Project Gutenberg(?:-tm|\u2122)?"
_EDITION = r"e-?(?:book|text)"
_FLAGS = re.IGNORECASE | re.DOTALL
#: The last line of the header; of the oldest files, that of the small print.
_START = re.compile(
    rf"\*{{3}} ?START OF (?:THE|THIS) {_NAME} {_EDITION}\b[^*]{{0,300}}(?:\*{{3}}\W*)?"
    r"|\*? ?END ?\*? ?THE SMALL PRINT! ?FOR PUBLIC DOMAIN ET?EXTS.{0,60}",
    _FLAGS,
)
_END = re.compile(
    rf"\*{{3}} ?END OF (?:THE|THIS) {_NAME} {_EDITION}\b[^*]{{0,300}}(?:\*{{3}}\W*)?"
    rf"|End of (?:the |this )?{_NAME}(?:['\u2019]s| {_EDITION}(?: of)?)?\b.{{0,300}}",
    _FLAGS,
)
#: One of them within a paragraph that was put together by guessing.
_MARK = re.compile(rf"(\*{{3}} ?(?:START|END) OF (?:THE|THIS) {_NAME} {_EDITION}\b[^*]{{0,300}}\*{{3}})", _FLAGS)
_LICENCE = re.compile(rf"(?:\*{{3}} ?)?START: ?FULL LICENSE.{{0,40}}|THE FULL {_NAME} LICENSE.{{0,40}}", _FLAGS)
#: What stands behind the end of every book.
_BEHIND = re.compile(
    rf"Updated editions will replace the previous|associated files of various formats will be found|{_LICENCE.pattern}",
    _FLAGS,
)
#: The first line of the header.
_BEGIN = re.compile(rf"\W{{0,8}}(?:This is )?(?:The )?{_NAME}(?:['\u2019]s| {_EDITION}(?: of|,))\s.{{1,400}}", _FLAGS)
_MARK_LINE = re.compile(
    rf"^[^\S\n]*(?:\*{{3}} ?(?:START|END) OF (?:THE|THIS) {_NAME} {_EDITION}\b|End of (?:the )?{_NAME}\b"
    r"|\*? ?END ?\*? ?THE SMALL PRINT!).*$",
    re.IGNORECASE | re.MULTILINE,
)
_CREDITS = re.compile(
    r"(?:This e-?(?:book|text) was |HTML version )?(?:produced|e-?text prepared|transcribed|prepared|scanned)"
    r" (?:by|from) (?:the |an? anonymous )?(?-i:[A-Z\d]).{0,600}",
    _FLAGS,
)
_KEYS = (
    "Title|Subtitle|Author|Translator|Editor|Illustrator|Contributor|Language|Credits|Release Date|Posting Date"
    "|Character set encoding|Original publication|Most recently updated|Last updated"
)
_SAID = re.compile(rf"\b(Title|Author|Language)\s?: (.+?)(?=,?\s+(?:{_KEYS})\s?:|$)", re.IGNORECASE | re.DOTALL)
_HAS_KEY = re.compile(rf"(?:{_KEYS})\s?:", re.IGNORECASE)
_TITLES = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        rf"(?:This is )?(?:The )?{_NAME} {_EDITION}(?: of|,) (?P<title>.+?)(?:,? by (?P<author>[^,]+?))?\W*",
        rf"(?P<title>.+?)(?:,? by (?P<author>[^,]+?))?,? (?:an? {_NAME} {_EDITION}|\| {_NAME})\W*",
    )
)
_OWN_TITLE = re.compile(rf"(?:The )?{_NAME}['\u2019]s (?P<title>.+?)(?:,? by (?P<author>[^,]+?))?\W*", _FLAGS)
_LANGUAGES = {
    "english": "en", "swedish": "sv", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "dutch": "nl",
    "finnish": "fi", "danish": "da", "norwegian": "no", "portuguese": "pt",
}  # fmt: skip
#: Before the header, there is at most a title.
_SENTENCE = re.compile(r"[.:!?]\W{0,3}$")
#: In characters: the header with the small print of old files, and the licence.
_MAX_HEADER, _MAX_FOOTER = 25_000, 30_000
_FEW_PASSAGES = 4


class Said(NamedTuple):
    """What the header says of the book; empty if it does not."""

    title: str = ""
    author: str = ""
    #: As in en or sv.
    language: str = ""


def recognise(documents: Sequence[Document]) -> Said:
    """Add the kind `boilerplate` to the passages of header and licence, and return what the header says."""
    passages = [passage for document in documents for passage in document.passages]
    end = _header_end(passages)
    begin = next((number for number, one in enumerate(passages[:end]) if _begins(one)), 0)
    _mark(passages[begin:end])
    header = [passage for passage in passages if KIND in passage.kinds]
    _mark(passages[_footer_start(passages, has_header=bool(header)) :])
    for passage in passages[end : end + _FEW_PASSAGES] if end else ():
        if not _CREDITS.fullmatch(passage.text):
            break
        _mark([passage])
    return _said(header)


def with_marks_apart(text: str) -> str:
    """Plain text with blank lines around the lines of marks."""
    return _MARK_LINE.sub(r"\n\n\g<0>\n\n", text)


def marks_divided(text: str) -> list[str]:
    """A paragraph in whose middle there are marks, which stand alone in the book, as several paragraphs."""
    return [part.strip() for part in _MARK.split(text) if part.strip()]


def title_and_author(text: str, *, is_gutenberg: bool = False) -> tuple[str, str]:
    """`The Project Gutenberg eBook of Emma, by Jane Austen` as `Emma` and `Jane Austen`; any other title as it is.

    `is_gutenberg` says that the book has the marks, so that `Project Gutenberg's Emma` is no title either.
    """
    for pattern in (*_TITLES, *((_OWN_TITLE,) if is_gutenberg else ())):
        if match := pattern.fullmatch(text.strip()):
            return match["title"].strip(" ,."), match["author"] or ""
    return text, ""


def _mark(passages: Sequence[Passage]) -> None:
    for passage in passages:
        if KIND not in passage.kinds:
            passage.kinds = (KIND, *passage.kinds)


def _header_end(passages: Sequence[Passage]) -> int:
    """How many passages there are up to the last line of the header; 0 if there is none."""
    length, has_begun = 0, False
    for number, passage in enumerate(passages):
        has_begun = has_begun or _begins(passage)
        if _START.fullmatch(passage.text) and (has_begun or not length):
            return number + 1
        is_sentence = _SENTENCE.search(passage.text) is not None
        if (length := length + len(passage.text)) > _MAX_HEADER or (is_sentence and not has_begun):
            break
    return 0


def _begins(passage: Passage) -> bool:
    return _BEGIN.fullmatch(passage.text) is not None or _HAS_KEY.match(passage.text) is not None


def _footer_start(passages: Sequence[Passage], *, has_header: bool) -> int:
    """Where the end of a book begins that is followed by the licence, or by nothing; the number of passages if not."""
    length, found, has_licence = 0, len(passages), False
    ends_with_it = any("gutenberg" in passage.text.lower() for passage in passages[-_FEW_PASSAGES:])
    for number in range(len(passages) - 1, -1, -1):
        text = passages[number].text
        if (length := length + len(text)) > _MAX_FOOTER:
            break
        is_licence = has_header and found == len(passages) and _LICENCE.fullmatch(text)
        if is_licence or (_END.fullmatch(text) and (has_header or (has_licence and ends_with_it))):
            found = number
        has_licence = has_licence or _BEHIND.search(text) is not None
    return found


def _said(passages: Sequence[Passage]) -> Said:
    said: dict[str, str] = {}
    for passage in passages:
        if _HAS_KEY.match(passage.text):
            for key, value in _SAID.findall(passage.text):
                said.setdefault(key.lower(), value.strip(" ,"))
    named = (
        title_and_author(one.text.strip("* ").partition("*")[0], is_gutenberg=True)
        for one in passages
        if _BEGIN.fullmatch(one.text)
    )
    title, author = next(named, ("", ""))
    language = _LANGUAGES.get(said.get("language", "").lower().partition(",")[0], "")
    return Said(said.get("title", title), said.get("author", author), language)
