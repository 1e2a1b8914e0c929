"""The read-along EPUB of a book that is an EPUB: the author's own files, with spans, sound and overlays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import join as joined

from lxml import etree

from voxmatrix.book.content import Book
from voxmatrix.book.join.overlay.archive import EpubWriter
from voxmatrix.book.join.overlay.navigation import navigation
from voxmatrix.book.join.overlay.obsolete import upgrade_markup
from voxmatrix.book.join.overlay.package import MEDIA_TYPES, OPF, SPEAKER, STYLE, AuthorsPackage, container
from voxmatrix.book.join.overlay.places import Place, find_places, stretches
from voxmatrix.book.join.overlay.smil import Overlay, overlays, relative, smil
from voxmatrix.book.join.overlay.spans import XHTML, Mark, free_prefix, put_spans
from voxmatrix.book.join.overlay.upgrade import XHTML_TYPE, complete_metadata, upgrade_package, without_ncx
from voxmatrix.book.join.overlay.words import Vocabulary, Words, flatten
from voxmatrix.book.join.overlay.xhtml import as_xhtml, link_style, properties, serialised
from voxmatrix.book.join.tags import one_line
from voxmatrix.book.join.timeline import Timeline
from voxmatrix.book.read import EpubSource
from voxmatrix.book.read.epub_archive import DAMAGED, Archive, is_inner
from voxmatrix.book.read.epub_contents import ContentsEntry, read_contents
from voxmatrix.book.read.epub_package import Package, found_path, package_path, read_package
from voxmatrix.book.read.markup import Link, attribute, descendants, local_name, parse
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.wording import pluralise, quoted

_CONTAINER = "META-INF/container.xml"
#: Written anew, or no longer true.
_NOT_COPIED = ("mimetype", _CONTAINER, "META-INF/signatures.xml", "META-INF/manifest.xml", "META-INF/metadata.xml")
_CHECK = "check that the book is complete"


@dataclass(frozen=True)
class AuthorsBook:
    """A book of the author's with the places of its sentences."""

    source: EpubSource
    #: Where what is added goes: beside the package document, and not in the archive yet.
    folder: str
    package: Package
    contents: Sequence[ContentsEntry]
    words: Mapping[str, Words]
    places: Mapping[str, Sequence[Place]]
    #: Sound that the pages play themselves.
    played: frozenset[str]


def find_sentences(source: EpubSource, line: Timeline) -> AuthorsBook | None:
    """Find the sentences of a timeline in an EPUB; None if there are none, or its package document is no XML."""
    vocabulary = Vocabulary()
    with Archive(source.path) as archive:
        package = read_package(archive, [])
        if parse(archive.read(package_path(archive)), "").tag != f"{{{OPF}}}package":
            return None
        contents = read_contents(archive, package, [])
        names = [*package.spine, *package.aside]
        words: dict[str, Words] = {}
        played: set[str | None] = set()
        for name in names:
            root = as_xhtml(parse(archive.read(name), name))
            is_page = local_name(root) in ("html", "svg")
            words[name] = vocabulary.words(flatten(root).text if is_page else "")
            sounds = descendants(root, "audio", "source")
            played.update(found_path(archive, name, attribute(sound, "src")) for sound in sounds)
        folder = _free_folder(archive)
    texts = (sentence.spoken.text for sentence in line.sentences)
    places = find_places(texts, list(words.values()), vocabulary)
    found = {names[index]: of_document for index, of_document in sorted(places.items())}
    return (
        AuthorsBook(source, folder, package, contents, words, found, frozenset(filter(None, played))) if found else None
    )


def _free_folder(archive: Archive) -> str:
    folder = joined(package_path(archive).rpartition("/")[0], "read-along")
    while any(name.casefold().startswith(folder.casefold()) for name in archive.names):
        folder += "_"
    return folder


def write_authors_book(
    writer: EpubWriter,
    found: AuthorsBook,
    line: Timeline,
    sounds: Mapping[int, str],
    *,
    book: Book,
    identifier: str,
    names: Sequence[str],
) -> list[Finding]:
    """Write everything but the sound, whose files are named by `sounds` for the chapters.

    The title and the language of `book`, and the identifier, are for a package document that has none. `names` has who
    is named before each sentence; "": nobody.

    Returns:
        what was left out, and how many sentences were not found in the pages.
    """
    with Archive(found.source.path) as archive:
        edition = _Edition(archive, found, line, book.title, names)
        edition.copy(writer)
        lost = edition.add_overlays(writer, sounds)
        complete_metadata(
            edition.package,
            title=book.title,
            language=book.language,
            identifier=identifier,
            converted=found.source.converted,
        )
        writer.add(edition.package.path, edition.package.serialised())
    return [*edition.findings, *_lost(lost, len(line.sentences))]


def _lost(count: int, total: int) -> list[Finding]:
    if not count:
        return []
    problem = f"{pluralise(count, 'sentence')} of {total} were not found in the pages of the read-along EPUB"
    remedy = "they are played while the sentence before them is shown; look whether the right text is read"
    return [Finding(problem=problem, remedy=remedy, severity="warning")]


class _Edition:
    """The files of a book on their way into another archive."""

    def __init__(self, archive: Archive, found: AuthorsBook, line: Timeline, title: str, names: Sequence[str]) -> None:
        self._archive, self._found, self._line, self._names = archive, found, line, names
        path = package_path(archive)
        if not is_inner(path):
            raise BadInputError(f"{archive.path} has a package document called {quoted(path)}", DAMAGED)
        root = parse(archive.read(path), path)
        self.package = AuthorsPackage(root, path, lambda href: found_path(archive, path, href))
        self.findings: list[Finding] = []
        self._folder, self._title = found.folder, title
        self._is_old = not self.package.version.startswith("3")
        self._left_out = {*_NOT_COPIED, path, *self._old_overlays()}
        if self._is_old:
            upgrade_package(self.package)
            self._left_out.update(without_ncx(self.package))
        self._marks: dict[str, list[Mark]] = {}

    def _old_overlays(self) -> Iterator[str]:
        """The overlays of an earlier narration, and its sound, unless a page plays it."""
        for file in self.package.without_overlays():
            yield file
            sounds = {attribute(sound, "src") for sound in descendants(parse(self._archive.read(file), file), "audio")}
            for sound in sorted(sounds):
                path = found_path(self._archive, file, sound)
                if path in self.package.items and path not in self._found.played:
                    self.package.manifest.remove(self.package.items.pop(path))
                    yield path

    def copy(self, writer: EpubWriter) -> None:
        """Copy all files, and write the pages with the spans of their sentences."""
        writer.add(_CONTAINER, container(self.package.path).encode("utf-8"))
        for name in self._archive.names:
            if name in self._left_out:
                continue
            if not is_inner(name):
                problem = f"the archive has a file called {quoted(name)}, which could be written outside of its folder"
                self.findings.append(Finding(problem=f"{problem}; it is left out", remedy=_CHECK, severity="warning"))
            elif self._is_changed(name):
                writer.add(name, self._changed(name))
            else:
                writer.copy(name, self._archive.blocks(name), packed=not self._archive.is_stored(name))

    def _is_changed(self, name: str) -> bool:
        item = self.package.items.get(name)
        is_page = item is not None and item.get("media-type") == XHTML_TYPE
        return name in self._found.places or (self._is_old and is_page)

    def _changed(self, name: str) -> bytes:
        root = as_xhtml(parse(self._archive.read(name), name))
        if name in self._found.places:
            self._marks[name] = self._marked(root, name)
        if self._is_old:
            upgrade_markup(root)
            for said in properties(root):
                self.package.add_property(self.package.items[name], said)
        if name in self._found.places:
            link_style(root, relative(f"{self._folder}/style.css", name.rpartition("/")[0]))
        return serialised(root)

    def _marked(self, root: etree._Element, name: str) -> list[Mark]:
        flat = flatten(root)
        found = stretches(self._found.places[name], self._found.words[name], flat.text)
        prefix, sentences = free_prefix(root), self._line.sentences
        marks = put_spans(
            root,
            flat,
            found,
            lambda number: f"{prefix}-{sentences[number].spoken.chapter}-{sentences[number].spoken.index}",
        )
        self._name_speakers(root, marks)
        return marks

    def _name_speakers(self, root: etree._Element, marks: Sequence[Mark]) -> None:
        """Name who speaks in the first element of a sentence, if that is one of ours: formulas may not have it."""
        anchors = {mark.sentence: mark.anchor for mark in reversed(marks)}
        named = {anchors[number]: who for number, who in enumerate(self._names) if who and number in anchors}
        for span in root.iter(f"{{{XHTML}}}span") if named else ():
            if who := named.get(span.get("id", "")):
                span.set(SPEAKER, one_line(who))

    def add_overlays(self, writer: EpubWriter, sounds: Mapping[int, str]) -> int:
        """Add overlays, a style and, where there is none, a navigation document; how many sentences are in no page."""
        order = {name: number for number, name in enumerate(self._found.words)}
        marks = {name: self._marks[name] for name in sorted(self._marks, key=order.__getitem__)}
        made, lost = overlays(self._line, marks)
        files: dict[str, Overlay] = {}
        for number, overlay in enumerate(made, start=1):
            name = f"{self._folder}/{number:05}.smil"
            files[name] = overlay
            writer.add(name, smil(overlay, name, sounds, self._line.rate_hz).encode("utf-8"))
        self.package.add_overlays(files, self._line.rate_hz)
        for name in sounds.values():
            self.package.add_item(name, MEDIA_TYPES[name.rpartition(".")[2]])
        self._add_text(writer, "style.css", "text/css", STYLE)
        if self._found.package.nav is None:
            name = f"{self._folder}/nav.xhtml"
            contents = self._found.contents or [ContentsEntry(self._title, Link(made[0].document, ""), 1)]
            text = navigation(self._title, contents, name)
            self._add_text(writer, "nav.xhtml", XHTML_TYPE, text, properties="nav")
        return lost

    def _add_text(self, writer: EpubWriter, name: str, media_type: str, text: str, **more: str) -> None:
        path = f"{self._folder}/{name}"
        self.package.add_item(path, media_type, **more)
        writer.add(path, text.encode("utf-8"))
