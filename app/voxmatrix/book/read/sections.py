"""Of which kind a whole document is: by what the book says of its file, or by its name and its shape together.

Both name and shape must agree, because what is left out has to be sure.
"""

import re
import sys
from collections.abc import Mapping, Sequence

from voxmatrix.book.read.passage import Document

_NAMES = {
    kind: re.compile(rf"(?i)\W*(?:{names})\W*")
    for kind, names in {
        "copyright": r"copyright(?:\s+(?:page|notice|information))?|uncopyright|copyrights|legal\s+notice",
        "imprint": r"imprint|colophon|kolofon|impressum|mentions\s+légales|colof[oó]n|colofon",
        "index": r"(?:(?:general|subject|name|author)\s+)?index(?:\s+of\s+\w+)?"
        r"|(?:sach|personen|namen|stichwort|sak|person)?registe?r(?:verzeichnis)?|stichwortverzeichnis|índice\s+\w+|indice\s+analitico|sakregister",
        "bibliography": r"(?:select(?:ed)?\s+)?bibliograph(?:y|ie)|bibliografi[aeí]*|works\s+cited|literaturverzeichnis"
        r"|litteraturförteckning|källförteckning|literatuurlijst",
    }.items()
}
#: Books say much the same on these pages, in few words.
_LEGAL = (
    re.compile(r"©|\(c\)\s*\d{4}|(?i:\bcopyright\b)"),
    re.compile(
        r"(?i)all\s+rights\s+reserved|alle\s+rechte|tous\s+droits|todos\s+los\s+derechos|tutti\s+i\s+diritti|alla\s+rättigheter"
        r"|todos\s+os\s+direitos"
    ),
    re.compile(r"\bISBN\b"),
    re.compile(r"(?i)published\s+by|first\s+published|printed\s+in|no\s+part\s+of\s+this"),
)
_ENDS_WITH_PAGE = re.compile(r"(?:\d|\b[ivxlc]+|\bff?\.|\bn\.)\W*$")
_YEAR = re.compile(r"\b(?:1[4-9]|20)\d\d\b")
_BY = re.compile(r"(?i)\b(?:by|von|av|par|de|di|por|door|af|a novel|novel|roman|translated)\b")
_MAX_LEGAL, _MAX_TITLE, _MAX_COVER = 4000, 400, 200
#: Besides the title and the authors, on a title page: a subtitle, the publisher, a place, a year.
_MAX_MORE_LETTERS = 40
_MOSTLY = 0.6
#: A title page is among the first documents.
_FIRST = 6


def recognise(
    documents: Sequence[Document],
    said: Mapping[str, str],
    names: Mapping[str, Sequence[str]],
    title: str,
    authors: Sequence[str],
) -> None:
    """Add its kind to the passages of each document that has one.

    Args:
        documents: the whole text.
        said: the kinds of files by the landmarks of the book, or the guide.
        names: what the contents call each file. A file with several names is several things.
        title: of the book.
        authors: of the book.
    """
    for place, document in enumerate(documents):
        called = names.get(document.path, ())
        if len(documents) == 1 or len(called) > 1:
            continue
        kind = _said(document, said.get(document.path, "")) or _shaped(document, called)
        if not kind and place < _FIRST and _is_title_page(document, title, authors):
            kind = "title-page"
        for passage in document.passages if kind else ():
            passage.kinds = (*passage.kinds, kind)


def _said(document: Document, kind: str) -> str:
    """The kind that the book says, unless the file has more in it: some guides call the whole text the title page."""
    limits = {"cover": _MAX_COVER, "title-page": _MAX_LEGAL, "copyright": _MAX_LEGAL, "imprint": _MAX_LEGAL}
    return kind if _characters(document) <= limits.get(kind, sys.maxsize) else ""


def _shaped(document: Document, names: Sequence[str]) -> str:
    heading = next((passage.text for passage in document.passages if passage.level), "")
    texts = [passage.text for passage in document.passages if not passage.level and not passage.kinds]
    length = _characters(document)
    legal = sum(any(map(pattern.search, texts)) for pattern in _LEGAL) if length <= _MAX_LEGAL else 0
    for kind, pattern in _NAMES.items():
        if any(pattern.fullmatch(name) for name in (*names, heading)):
            shapes = {"index": _ENDS_WITH_PAGE, "bibliography": _YEAR}
            if kind in shapes and not _mostly(texts, shapes[kind]):
                continue
            if kind in shapes or legal:
                return kind
    return "copyright" if legal > 1 and not heading and length <= (_MAX_LEGAL if legal > 2 else _MAX_COVER * 5) else ""


def _mostly(texts: Sequence[str], pattern: re.Pattern[str]) -> bool:
    return bool(texts) and sum(pattern.search(text) is not None for text in texts) >= _MOSTLY * len(texts)


def _is_title_page(document: Document, title: str, authors: Sequence[str]) -> bool:
    texts = " ".join(passage.text for passage in document.passages if not passage.kinds)
    if not title or len(texts) > _MAX_TITLE or _letters(title) not in _letters(texts):
        return False
    rest = _letters(_BY.sub(" ", texts)).replace(_letters(_BY.sub(" ", title)), "", 1)
    for author in authors:
        rest = rest.replace(_letters(author), "", 1)
    return len(rest) <= _MAX_MORE_LETTERS and (not authors or any(_letters(a) in _letters(texts) for a in authors))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _characters(document: Document) -> int:
    return sum(len(passage.text) for passage in document.passages)
