"""What stands where in a PDF: asked of PDFium in a process of its own (extract.py), within limits."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voxmatrix.book.read.epub_archive import MIB
from voxmatrix.book.read.pdf.extract import MAX_PAGES
from voxmatrix.child_environment import for_program
from voxmatrix.errors import BadInputError, MissingProgramError
from voxmatrix.landlock import Limits, python_folders
from voxmatrix.processes import start

#: A page of text takes some milliseconds.
TIME_LIMIT_SECONDS = 300
#: Of a book of photographs.
MAX_FILE_BYTES = 1024 * MIB
#: A run, which is mostly a line, takes its characters and some forty bytes.
MAX_OUTPUT_BYTES = 64 * MIB
SCRIPT = Path(__file__).with_name("extract.py")
#: Of a page; Acrobat's have at most 14,400.
_MAX_POINTS = 100_000
_START, _START_WITHIN = b"%PDF-", 1024
_DIVIDE = "divide it into several files: qpdf --pages in.pdf 1-500 -- in.pdf part1.pdf"
_DAMAGED = "download or copy it again, or repair it: qpdf in.pdf out.pdf"
_MISSING = "install it: pip install pypdfium2"


@dataclass(frozen=True, slots=True)
class Run:
    """Text on one base line, in one size and without a wide gap. Points from the left and the top of the page."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool = False


@dataclass(frozen=True)
class Page:
    """A page by its number, from 1."""

    number: int
    runs: tuple[Run, ...]
    #: Whether it has no text, and a picture fills it.
    scanned: bool = False
    damaged: bool = False


@dataclass(frozen=True)
class Bookmark:
    """A line of the outline, from level 1, and the page to which it leads, from 1."""

    level: int
    title: str
    page: int
    #: How far below the top of the page, in points.
    height: float = 0.0


@dataclass(frozen=True)
class Content:
    """What a PDF says of itself, and its pages."""

    title: str
    author: str
    language: str
    bookmarks: tuple[Bookmark, ...] = ()
    pages: tuple[Page, ...] = field(default=())


def read_content(path: Path) -> Content:
    """Read a PDF.

    Raises:
        BadInputError: it is none, is locked, is damaged or too large.
        MissingProgramError: pypdfium2 is not installed.
    """
    _check_start(path)
    lines = _lines(path)
    try:
        said, *pages = [json.loads(line) for line in lines]
        if "error" not in said:
            return _content(said, pages)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInputError(f"{path} is damaged: PDFium cannot read it", _DAMAGED) from error
    raise _refusal(path, said)


def _check_start(path: Path) -> None:
    with path.open("rb") as file:
        start_of_file = file.read(_START_WITHIN)
    if _START not in start_of_file:
        problem = f"{path} is not what its name says: its first bytes are not those of a PDF"
        raise BadInputError(problem, "check the file, or convert it to EPUB")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise BadInputError(f"{path} has more than {MAX_FILE_BYTES // MIB} MiB", _DIVIDE)


def _lines(path: Path) -> list[bytes]:
    """What the process answers."""
    process = start(
        [sys.executable, "-I", str(SCRIPT), str(path.absolute())],
        environment=for_program(),
        limits=Limits(reads=(path.absolute(), SCRIPT, *python_folders())),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(TIME_LIMIT_SECONDS, end)
    timer.start()
    with process:
        try:
            assert process.stdout is not None
            output = process.stdout.read(MAX_OUTPUT_BYTES + 1)
        finally:
            timer.cancel()
            process.kill()
    if late.is_set():
        raise BadInputError(f"{path} is not read within {TIME_LIMIT_SECONDS // 60} minutes", _DIVIDE)
    if len(output) > MAX_OUTPUT_BYTES:
        raise BadInputError(f"{path} has more text than any book", _DIVIDE)
    return output.splitlines()


def _content(said: Mapping[str, Any], pages: list[dict[str, Any]]) -> Content:
    if len(pages) != said["pages"]:
        raise ValueError("pages are missing")
    return Content(
        " ".join(str(said["title"]).split()),
        " ".join(str(said["author"]).split()),
        str(said["language"]).strip(),
        tuple(_bookmarks(said["outline"])),
        tuple(_page(number, page) for number, page in enumerate(pages, start=1)),
    )


def _bookmarks(rows: list[Any]) -> Iterator[Bookmark]:
    for level, title, page, height in rows:
        if named := " ".join(str(title).split()):
            yield Bookmark(int(level), named, int(page) + 1, float(height or 0))


def _points(value: Any) -> float:
    found = float(value)
    if not abs(found) <= _MAX_POINTS:  # nor is it a number if it is NaN
        raise ValueError(f"{found} is no place on a page")
    return found


def _page(number: int, page: dict[str, Any]) -> Page:
    runs = tuple(
        Run(str(text), _points(left), _points(right), _points(base), _points(size), bool(bold))
        for text, left, right, base, size, bold in page["runs"]
    )
    return Page(number, runs, bool(page.get("picture")), bool(page.get("damaged")))


def _refusal(path: Path, said: Mapping[str, Any]) -> Exception:
    """The error for what the process refuses."""
    if said["error"] == "missing":
        return MissingProgramError(f"{path}: PDFs are read by pypdfium2, which is not installed", _MISSING)
    if said["error"] == "password":
        remedy = "write a copy without it: qpdf --password=PASSWORD --decrypt in.pdf out.pdf"
        return BadInputError(f"{path} is locked with a password", remedy)
    if said["error"] == "security":
        return BadInputError(f"{path} is protected by DRM", "ask the shop or the publisher for a DRM-free copy")
    if said["error"] == "pages":
        return BadInputError(f"{path} has {said['detail']} pages; {MAX_PAGES} are the most", _DIVIDE)
    return BadInputError(f"{path} is damaged: PDFium cannot read it", _DAMAGED)
