"""The lexicons that an EPUB 3 brings, in PLS: files of the book, some linked by its documents with a language."""

from collections.abc import Iterator, Mapping

from lxml import etree

from voxmatrix.book.read.epub_archive import Archive
from voxmatrix.book.read.epub_package import found_path
from voxmatrix.book.read.markup import attribute
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.text.lexicon import Lexicon, is_tag
from voxmatrix.text.pls import parse_pls


def linked_lexicons(root: etree._Element, path: str, archive: Archive) -> Iterator[tuple[str, str]]:
    """The lexicons that a document links, and their languages: `<link rel="pronunciation" href="…" hreflang="en">`."""
    for link in root.iter("{*}link"):
        if "pronunciation" in attribute(link, "rel").lower().split():
            found = found_path(archive, path, attribute(link, "href"))
            language = attribute(link, "hreflang").strip()
            if found is not None:
                yield found, language if is_tag(language) else ""


def read_lexicons(archive: Archive, languages: Mapping[str, str], findings: list[Finding]) -> Lexicon:
    """All of them as one; the first says how a word is said. One that cannot be read is a finding.

    Args:
        archive: the book.
        languages: by the names of the lexicons, what their words are in where they do not say it.
        findings: get what is wrong.
    """
    found = Lexicon()
    for name, language in languages.items():
        try:
            found = parse_pls(archive.read(name), name, language).under(found)
        except BadInputError as error:
            problem = f"a lexicon of the book is left out: {error.problem}"
            findings.append(Finding(problem=problem, remedy=error.remedy, severity="warning"))
    return found
