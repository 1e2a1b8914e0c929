"""The table of contents of an EPUB: the navigation document of EPUB 3, or the NCX of EPUB 2."""

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from voxmatrix.book.read.epub_archive import Archive
from voxmatrix.book.read.epub_package import Package, found_path
from voxmatrix.book.read.markup import (
    Link,
    attribute,
    children,
    descendants,
    kinds,
    local_name,
    parse,
    resolve,
    text_of,
    tidy,
)
from voxmatrix.book.read.semantics import SEMANTICS
from voxmatrix.errors import Finding
from voxmatrix.wording import quoted

#: Deeper levels of a hostile contents are read as this one.
_DEEPEST = 20


@dataclass(frozen=True)
class ContentsEntry:
    """A line of the contents: a title, where it leads, and its level from 1."""

    title: str
    link: Link
    level: int


def read_contents(archive: Archive, package: Package, findings: list[Finding]) -> list[ContentsEntry]:
    """The lines that lead to a file of the archive, in order; those that do not are findings. None without contents."""
    for path, lines in ((package.nav, _nav_lines), (package.ncx, _ncx_lines)):
        if path is None:
            continue
        entries = []
        for title, href, level in lines(parse(archive.read(path), path)):
            link = resolve(path, href)
            found = found_path(archive, path, href)
            if link is not None and found is not None:
                path_shown = package.fallbacks.get(found, found)
                entries.append(ContentsEntry(title, Link(path_shown, link.anchor), level))
            else:
                problem = f"the contents list {quoted(title)} in {quoted(href)}, which is not in the book"
                remedy = "its text, if there is any, is part of the chapter before"
                findings.append(Finding(problem=problem, remedy=remedy, severity="warning"))
        if entries:
            return entries
    return []


def read_landmarks(archive: Archive, package: Package) -> dict[str, str]:
    """The kinds of files by the landmarks of EPUB 3, where one leads to a whole file."""
    if package.nav is None:
        return {}
    navs = descendants(parse(archive.read(package.nav), package.nav), "nav")
    links = (link for nav in navs if "landmarks" in kinds(nav) for link in descendants(nav, "a"))
    found = {}
    for link in links:
        target = resolve(package.nav, attribute(link, "href"))
        path = found_path(archive, package.nav, attribute(link, "href"))
        kind = next((SEMANTICS[word] for word in sorted(kinds(link)) if word in SEMANTICS), "")
        if target is not None and path is not None and kind and not target.anchor:
            found[path] = kind
    return found


def contents_nav(root: etree._Element) -> etree._Element | None:
    """The element of a navigation document that holds the table of contents."""
    navs = list(descendants(root, "nav"))
    named = (nav for nav in navs if "toc" in kinds(nav))
    return next(named, next((nav for nav in navs if not kinds(nav)), None))


def _nav_lines(root: etree._Element) -> Iterator[tuple[str, str, int]]:
    nav = contents_nav(root)
    for item in descendants(nav, "li") if nav is not None else ():
        link = next(
            (found for child in children(item, "a", "p", "div", "span", "h1", "h2", "h3") for found in _links(child)),
            None,
        )
        if link is not None and (title := _title(link)):
            level = sum(1 for above in item.iterancestors() if local_name(above) == "li") + 1
            yield title, attribute(link, "href"), min(level, _DEEPEST)


def _links(element: etree._Element) -> Iterator[etree._Element]:
    """The links in an element or this element itself, but none of the lists in it."""
    return (found for found in element.iter() if local_name(found) == "a" and found.get("href"))


def _title(link: etree._Element) -> str:
    pictures = " ".join(attribute(image, "alt") for image in descendants(link, "img"))
    return tidy(text_of(link)) or tidy(attribute(link, "title")) or tidy(pictures)


def _ncx_lines(root: etree._Element) -> Iterator[tuple[str, str, int]]:
    for point in descendants(root, "navpoint"):
        label = next(children(point, "navlabel"), None)
        content = next(children(point, "content"), None)
        title = tidy(text_of(label)) if label is not None else ""
        if content is not None and title:
            level = sum(1 for above in point.iterancestors() if local_name(above) == "navpoint") + 1
            yield title, attribute(content, "src"), min(level, _DEEPEST)
