"""A navigation document for a book that has none: the contents of EPUB 2."""

from collections.abc import Sequence
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from voxmatrix.book.join.overlay.smil import XML, relative
from voxmatrix.book.read.epub_contents import ContentsEntry

_HEAD = f'{XML}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">\n'


def navigation(title: str, contents: Sequence[ContentsEntry], name: str) -> str:
    """The lines of the contents as lists within lists, in the file `name`."""
    folder = name.rpartition("/")[0]
    parts = [f'{_HEAD}<head><title>{escape(title)}</title></head>\n<body><nav epub:type="toc">']
    levels: list[int] = []  # of the entries around
    for entry in contents:
        if not levels or entry.level > levels[-1]:
            parts.append("<ol>\n<li>")
            levels.append(entry.level)
        else:
            parts.append("</li>\n")
            while len(levels) > 1 and levels[-2] >= entry.level:
                levels.pop()
                parts.append("</ol></li>\n")
            parts.append("<li>")
            levels[-1] = entry.level
        anchor = f"#{quote(entry.link.anchor)}" if entry.link.anchor else ""
        link = relative(entry.link.path, folder) + anchor
        parts.append(f"<a href={quoteattr(link)}>{escape(entry.title)}</a>")
    return "".join([*parts, "</li></ol>" * len(levels), "</nav></body>\n</html>\n"])
