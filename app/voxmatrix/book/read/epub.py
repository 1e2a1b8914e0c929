"""EPUB 2 and 3. Locked books are refused before anything is tried: their text cannot be read."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from voxmatrix.book.content import Book
from voxmatrix.book.read.chapters import divide, formula_findings, parts_of_kinds
from voxmatrix.book.read.epub_archive import Archive
from voxmatrix.book.read.epub_contents import ContentsEntry, read_contents, read_landmarks
from voxmatrix.book.read.epub_lexicon import linked_lexicons, read_lexicons
from voxmatrix.book.read.epub_package import Package, read_cover, read_package
from voxmatrix.book.read.gutenberg import Said, title_and_author
from voxmatrix.book.read.headings import by_contents_or_headings
from voxmatrix.book.read.markup import Link, attribute, children, descendants, parse
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.passages import ReadingOptions, read_passages
from voxmatrix.book.read.recognition import recognise_parts
from voxmatrix.book.read.sections import recognise
from voxmatrix.book.read.text_file import no_text
from voxmatrix.book.read.unspoken import Listed
from voxmatrix.errors import BadInputError, Finding

#: A level of the contents with fewer lines is only the title of the book, or its parts.
_FEW_LINES = 3


def read_epub(path: Path, kinds: Collection[str]) -> Book:
    """Read an EPUB: its text in the order of its spine, its chapters as its contents name them.

    Raises:
        BadInputError: it is not an EPUB, is locked, is damaged, has no text or was made to do harm.
    """
    with Archive(path) as archive:
        findings = archive.findings
        refuse_locked(archive)
        package = read_package(archive, findings)
        entries = read_contents(archive, package, findings)
        reading = ReadingOptions(
            pictures="pictures" in kinds,
            contents=_listed(package, entries),
            cover=package.cover.path if package.cover else "",
        )
        spine = [*package.spine, *package.aside]
        lexicons = dict.fromkeys(package.lexicons, "")
        documents = [_document(archive, name, reading, lexicons, findings) for name in spine]
        lexicon = read_lexicons(archive, lexicons, findings)
        said = {**package.said, **read_landmarks(archive, package)}
        cover = read_cover(archive, package.cover, findings)
    _recognise_notes(documents)
    names: dict[str, list[str]] = {}
    for entry in entries:
        names.setdefault(entry.link.path, []).append(entry.title)
    header = recognise_parts(documents)
    called, author = title_and_author(package.title, is_gutenberg=header != Said())
    title = _title(called, header.title) or path.stem
    authors = package.authors or tuple(filter(None, (header.author or author,)))
    recognise(documents, said, names, title, authors)
    for passage in (
        passage for document in documents if document.path in package.aside for passage in document.passages
    ):
        passage.kinds = passage.kinds or ("notes",)
    starts = by_contents_or_headings(documents, entries, kinds, findings)
    chapters = divide(documents, starts, title, kinds)
    if not chapters:
        raise no_text(path)
    return Book(
        title,
        authors,
        _language(package.language, header.language),
        cover,
        chapters,
        _each_once([*findings, *formula_findings(documents)]),
        parts_of_kinds(documents, kinds),
        package.about,
        lexicon,
    )


def _title(called: str, of_header: str) -> str:
    """The title of the book; that of the header, if the other has the author in it, or is the number of a file."""
    longer = of_header and called.casefold().startswith(of_header.casefold())
    return of_header if longer or not any(map(str.isalpha, called)) else called


def _language(said: str, of_header: str) -> str:
    """The language of the book: Calibre writes its own where it knows none, and the header of Gutenberg is right."""
    return said if said.lower().partition("-")[0] == of_header or not of_header else of_header


def _document(
    archive: Archive, name: str, reading: ReadingOptions, lexicons: dict[str, str], findings: list[Finding]
) -> Document:
    """The passages of a file; `lexicons` gets those that it links. Its tree, which is large, ends here."""
    root = parse(archive.read(name), name, findings)
    lexicons.update(linked_lexicons(root, name, archive))
    return read_passages(root, name, reading)


def _listed(package: Package, entries: Sequence[ContentsEntry]) -> Listed:
    page = package.contents_page
    named = (page.path,) if page is not None and not page.anchor else ()
    levels = accumulate(count for _, count in sorted(Counter(entry.level for entry in entries).items()))
    lines = next((lines for lines in levels if lines >= _FEW_LINES), len(entries))
    return Listed(
        titles={entry.link: entry.title for entry in reversed(entries)},
        fewest=max(2, (lines + 1) // 2),
        pages=(package.nav, *named) if package.nav else named,
        documents=frozenset([*package.spine, *package.aside]),
    )


def _recognise_notes(documents: Sequence[Document]) -> None:
    """Mark the passages that are notes by their links: a reference leads to them, and they lead back to before them."""
    references: set[Link] = set().union(*(document.references for document in documents))
    places = {document.path: place for place, document in enumerate(documents)}
    for place, document in enumerate(documents):
        for index, passage in enumerate(document.passages):
            if _is_referenced(passage, document.path, references) and _leads_back(
                passage, (place, index), places, documents
            ):
                passage.kinds = (*passage.kinds, "notes")


def _is_referenced(passage: Passage, path: str, references: set[Link]) -> bool:
    return passage.note is not None and any(Link(path, anchor) in references for anchor in passage.note.anchors)


def _leads_back(passage: Passage, here: tuple[int, int], places: dict[str, int], documents: Sequence[Document]) -> bool:
    """Whether a note's link leads to an earlier place: the reference leads forward."""
    if passage.note is None or passage.note.back.path not in places:
        return False
    place = places[passage.note.back.path]
    return (place, documents[place].anchors.get(passage.note.back.anchor, 0)) < here


def _each_once(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(dict.fromkeys(findings))


_ENCRYPTION = "META-INF/encryption.xml"
#: Files that only a system for digital rights writes, with its name.
_SYSTEMS = (
    ("META-INF/rights.xml", "Adobe"),
    ("META-INF/license.lcpl", "Readium LCP"),
    ("META-INF/sinf.xml", "Apple FairPlay"),
)
#: Fonts that are only scrambled, by the IDPF's and Adobe's ways: the text is readable.
_OF_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_REMEDY = "read it with the program of its shop, or ask the shop or the publisher for a DRM-free copy; many sell both"


def refuse_locked(archive: Archive) -> None:
    """Check that a book is not encrypted.

    Raises:
        BadInputError: it is.
    """
    if archive.encrypted():
        remedy = "unpack it with its password, then compress it without one: unzip BOOK.epub, zip -r NEW.epub"
        raise BadInputError(f"{archive.path} is a ZIP archive with a password", remedy)
    system = next((system for name, system in _SYSTEMS if archive.find(name)), "")
    if system or any(algorithm not in _OF_FONTS for algorithm in _algorithms(archive)):
        which = f" ({system})" if system else ""
        raise BadInputError(f"{archive.path} is protected by DRM{which}: its text is encrypted", _REMEDY)


def _algorithms(archive: Archive) -> Iterator[str]:
    """How the files of the book are encrypted; an empty name if that is not said."""
    name = archive.find(_ENCRYPTION)
    if name is None:
        return
    for data in descendants(parse(archive.read(name), name), "encrypteddata"):
        methods = list(children(data, "encryptionmethod"))
        yield from (attribute(method, "Algorithm").strip() for method in methods)
        if not methods:
            yield ""
