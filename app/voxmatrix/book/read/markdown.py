"""Markdown: CommonMark with tables and footnotes, and the metadata that static sites put above it."""

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from voxmatrix.book.content import Book
from voxmatrix.book.read.html import book_of
from voxmatrix.book.read.markup import parse, tidy
from voxmatrix.book.read.text_file import decode, read_bytes

_METADATA = re.compile(r"\A---[^\S\n]*\n(.*?)^(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^(title|author|authors|lang|language)[^\S\n]*:[^\S\n]*(.+)$", re.MULTILINE)
#: A footnote with the indented lines that belong to it.
_NOTE = re.compile(
    r"^ {0,3}\[\^([^\]\s]{1,60})\]:[^\S\n]*(.*(?:\n(?:(?: {4}|\t).*|[^\S\n]*(?=\n(?: {4}|\t))))*)", re.MULTILINE
)
_REFERENCE = re.compile(r"[^\S\n]*\[\^[^\]\s]{1,60}\]")


def read_markdown(path: Path, kinds: Collection[str]) -> Book:
    """Read a Markdown file: its headings are chapters.

    Raises:
        BadInputError: it has no text, or is too large.
    """
    from markdown_it import MarkdownIt

    text = decode(read_bytes(path)).replace("\r\n", "\n")
    metadata = _METADATA.match(text)
    said = {key: value.strip().strip("\"'") for key, value in _LINE.findall(metadata[1])} if metadata else {}
    text = text[metadata.end() :] if metadata else text
    text = _REFERENCE.sub("", _NOTE.sub(_note, text))
    page = f"<html><body>{MarkdownIt('commonmark').enable('table').render(text)}</body></html>"
    title = tidy(said.get("title", "")) or _only_top_heading(text)
    book = book_of(parse(page.encode("utf-8"), str(path)), path, kinds, title)
    author = tidy(said.get("author", said.get("authors", "")).strip("[]"))
    language = said.get("lang", said.get("language", ""))
    return replace(book, authors=(author,) if author else book.authors, language=language or book.language)


def _note(match: re.Match[str]) -> str:
    text = re.sub(r"^(?: {4}|\t)", "", match[2], flags=re.MULTILINE)
    return f'\n\n<div class="footnote">\n\n{text}\n\n</div>\n\n'


def _only_top_heading(text: str) -> str:
    """The heading of the highest level if there is one of it: the title of the book."""
    found = re.findall(r"^#[^\S\n]+(.+?)[^\S\n#]*$", text, re.MULTILINE)
    return tidy(found[0]) if len(found) == 1 else ""
