"""The package document of an EPUB: what the book is called, which files it has and in which order they are read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from voxmatrix.book.content import Cover, Metadata
from voxmatrix.book.read.epub_archive import DAMAGED, Archive
from voxmatrix.book.read.epub_metadata import known_authors, read_metadata
from voxmatrix.book.read.markup import Link, attribute, children, descendants, local_name, parse, resolve, text_of, tidy
from voxmatrix.book.read.semantics import SEMANTICS
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.wording import quoted

_CONTAINER = "META-INF/container.xml"
_DOCUMENTS = (
    "application/xhtml+xml", "text/html", "application/xml", "text/xml", "text/x-oeb1-document", "image/svg+xml",
    "application/x-dtbook+xml",
)  # fmt: skip
_CORE_DOCUMENTS = ("application/xhtml+xml", "text/html", "image/svg+xml")
_DOCUMENT_NAMES = re.compile(r"(?i)\.(x?html?|xml|svg)$")
_NCX = "application/x-dtbncx+xml"
_PLS = "application/pls+xml"
_PICTURES = re.compile(r"image/(?!svg)[\w.+-]+")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*")
_UNKNOWN_LANGUAGES = ("und", "mul", "zxx", "mis")
_CHECK = "check that the text is complete"


@dataclass(frozen=True)
class ManifestItem:
    """A file of the book: its name in the archive, its media type and what it is for."""

    path: str
    media_type: str
    properties: tuple[str, ...]
    #: The id of the item to be shown instead by programs that do not know the media type.
    fallback: str = ""


@dataclass
class Package:
    """What a package document says."""

    title: str = ""
    authors: tuple[str, ...] = ()
    language: str = ""
    #: Names of documents in reading order, each once.
    spine: list[str] = field(default_factory=list)
    #: Documents that are opened from a link only, e.g. notes.
    aside: list[str] = field(default_factory=list)
    nav: str | None = None
    ncx: str | None = None
    #: The document with the table of contents that is part of the text.
    contents_page: Link | None = None
    cover: ManifestItem | None = None
    #: Documents that stand for pictures and other files of the reading order.
    fallbacks: dict[str, str] = field(default_factory=dict)
    #: The kinds of files by the guide of EPUB 2.
    said: dict[str, str] = field(default_factory=dict)
    #: Files that say how words are said, in PLS.
    lexicons: list[str] = field(default_factory=list)
    about: Metadata = field(default_factory=Metadata)


def read_package(archive: Archive, findings: list[Finding]) -> Package:
    """Read the package document of an archive.

    Raises:
        BadInputError: there is none, or it is damaged.
    """
    path = package_path(archive)
    root = parse(archive.read(path), path)
    manifest = _manifest(root, path, archive, findings)
    package = Package(language=_language(root), authors=_authors(root), title=_title(root), about=read_metadata(root))
    spine = next(descendants(root, "spine"), None)
    if spine is None and not manifest:
        raise BadInputError(f"{archive.path} is damaged: {path} does not say what is in the book", DAMAGED)
    _read_spine(package, spine, manifest, findings)
    package.nav = next((item.path for item in manifest.values() if "nav" in item.properties), None)
    ncx = manifest.get(attribute(spine, "toc") if spine is not None else "")
    package.ncx = ncx.path if ncx else next((i.path for i in manifest.values() if i.media_type == _NCX), None)
    package.lexicons = [item.path for item in manifest.values() if item.media_type == _PLS]
    references = list(_references(root, path, archive))
    package.contents_page = next((link for kind, link in references if kind == "toc"), None)
    package.said = {link.path: SEMANTICS[kind] for kind, link in references if kind in SEMANTICS and not link.anchor}
    package.cover = _cover(root, manifest, [link.path for kind, link in references if kind == "cover"], archive)
    return package


def read_cover(archive: Archive, item: ManifestItem | None, findings: list[Finding]) -> Cover | None:
    """The picture of an item. One that cannot be read is a finding: the text is what counts."""
    if item is None:
        return None
    try:
        return Cover(item.media_type, archive.read(item.path))
    except BadInputError as error:
        findings.append(Finding(problem=f"no cover: {error.problem}", remedy=error.remedy, severity="warning"))
        return None


def package_path(archive: Archive) -> str:
    """The name of the package document.

    Raises:
        BadInputError: there is none.
    """
    container = archive.find(_CONTAINER)
    if container is not None:
        for rootfile in descendants(parse(archive.read(container), container), "rootfile"):
            link = resolve("", attribute(rootfile, "full-path"))
            if link is not None and (path := archive.find(link.path)):
                return path
    found = next((name for name in archive.names if name.lower().endswith(".opf")), None)
    if found is None:
        remedy = "check that it is an e-book; unpack a compressed folder of texts first"
        raise BadInputError(f"{archive.path} is not an EPUB: it has no package document (.opf)", remedy)
    return found


def _manifest(root: etree._Element, base: str, archive: Archive, findings: list[Finding]) -> dict[str, ManifestItem]:
    """Items by their ids. Files that are missing or outside of the archive are left out."""
    items: dict[str, ManifestItem] = {}
    for element in descendants(root, "item"):
        href = attribute(element, "href")
        path = found_path(archive, base, href)
        identity = attribute(element, "id")
        if path is None:
            problem = f"the package names {quoted(href)}, which is not in the archive"
            findings.append(Finding(problem=problem, remedy=_CHECK, severity="warning"))
        elif identity not in items:
            words = tuple(attribute(element, "properties").split())
            media_type = attribute(element, "media-type").strip().lower()
            items[identity] = ManifestItem(path, media_type, words, attribute(element, "fallback"))
    return items


def found_path(archive: Archive, base: str, href: str) -> str | None:
    """The file that a link leads to, whether it is percent-encoded or its name has percent signs."""
    link = resolve(base, href)
    plain = resolve(base, href.replace("%", "%25"))
    return (link and archive.find(link.path)) or (plain and archive.find(plain.path)) or None


def _read_spine(
    package: Package, spine: etree._Element | None, manifest: dict[str, ManifestItem], findings: list[Finding]
) -> None:
    for reference in children(spine, "itemref") if spine is not None else ():
        identity = attribute(reference, "idref")
        item = _shown(identity, manifest)
        if item is None:
            problem = f"the reading order names {quoted(identity)}, which is not a file of the book"
            findings.append(Finding(problem=problem, remedy=_CHECK, severity="warning"))
        elif _is_document(item):
            package.fallbacks[manifest[identity].path] = item.path
            place = package.aside if attribute(reference, "linear").strip().lower() == "no" else package.spine
            if item.path not in place:
                place.append(item.path)
    package.aside = [path for path in package.aside if path not in package.spine]
    if not package.spine:
        found = [item.path for item in manifest.values() if _is_document(item) and "nav" not in item.properties]
        package.spine, package.aside = package.aside or list(dict.fromkeys(found)), []
        problem = "the book has no reading order; its files are read in the order in which they are listed"
        findings.append(Finding(problem=problem, remedy=_CHECK, severity="warning"))


def _shown(identity: str, manifest: dict[str, ManifestItem]) -> ManifestItem | None:
    """An item of the reading order, or what stands for it where it is no document of EPUB: a picture, or other XML."""
    item, seen = manifest.get(identity), {identity}
    while item is not None and item.media_type not in _CORE_DOCUMENTS and item.fallback in manifest.keys() - seen:
        seen.add(item.fallback)
        item = manifest[item.fallback]
    return item


def _is_document(item: ManifestItem) -> bool:
    return item.media_type in _DOCUMENTS or (
        not item.media_type.startswith(("image/", "audio/", "video/", "font/", "text/css")) and item.media_type != _NCX
        and _DOCUMENT_NAMES.search(item.path) is not None
    )  # fmt: skip


def _title(root: etree._Element) -> str:
    titles = [(attribute(element, "id"), tidy(text_of(element))) for element in descendants(root, "title")]
    main = {
        attribute(meta, "refines").lstrip("#")
        for meta in descendants(root, "meta")
        if attribute(meta, "property") == "title-type" and tidy(text_of(meta)) == "main"
    }
    titles = [(identity, title) for identity, title in titles if title]
    return next((title for identity, title in titles if identity in main), titles[0][1] if titles else "")


def _authors(root: etree._Element) -> tuple[str, ...]:
    """The creators; only the authors among them if their roles are given."""
    roles = {
        attribute(meta, "refines").lstrip("#"): tidy(text_of(meta))
        for meta in descendants(root, "meta")
        if attribute(meta, "property") == "role"
    }
    creators = [
        (tidy(text_of(element)), attribute(element, "role") or roles.get(attribute(element, "id"), "aut"))
        for element in descendants(root, "creator")
    ]
    authors = [name for name, role in creators if name and role == "aut"]
    return known_authors(authors or [name for name, role in creators])


def _language(root: etree._Element) -> str:
    for element in descendants(root, "language"):
        language = tidy(text_of(element))
        if _LANGUAGE.fullmatch(language) and language.lower() not in _UNKNOWN_LANGUAGES:
            return language.replace("_", "-")
    return ""


def _references(root: etree._Element, base: str, archive: Archive) -> Iterator[tuple[str, Link]]:
    """The guide of EPUB 2: what the documents are."""
    for element in descendants(root, "reference"):
        href = attribute(element, "href")
        path, link = found_path(archive, base, href), resolve(base, href)
        if path is not None and link is not None:
            yield attribute(element, "type").lower(), Link(path, link.anchor)


def _cover(
    root: etree._Element, manifest: dict[str, ManifestItem], cover_pages: list[str], archive: Archive
) -> ManifestItem | None:
    """The picture that EPUB 3's property or EPUB 2's meta element calls the cover, or that is on the cover page."""
    named = {attribute(m, "content") for m in descendants(root, "meta") if attribute(m, "name").lower() == "cover"}
    candidates = [item for item in manifest.values() if "cover-image" in item.properties]
    candidates += [item for identity, item in manifest.items() if identity in named]
    by_path = {item.path: item for item in manifest.values()}
    for page in cover_pages:
        candidates += [by_path[page]] if page in by_path else []
        if page in by_path and _is_document(by_path[page]):
            pictures = list(_pictures(page, archive))
            candidates += [by_path[picture] for picture in pictures if picture in by_path]
    return next((item for item in candidates if _PICTURES.fullmatch(item.media_type)), None)


def _pictures(page: str, archive: Archive) -> Iterator[str]:
    for element in descendants(parse(archive.read(page), page), "img", "image"):
        href = attribute(element, "src") if local_name(element) == "img" else attribute(element, "href")
        path = found_path(archive, page, href)
        if path is not None:
            yield path
