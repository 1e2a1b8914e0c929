"""Other formats, e.g. MOBI and FB2, through Calibre, which is GPL: a program of its own, where it is installed."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from voxmatrix.book.content import Book
from voxmatrix.book.read.chapters import formula_findings
from voxmatrix.book.read.document_language import LANGUAGES
from voxmatrix.book.read.docx_formulas import with_readable_formulas
from voxmatrix.book.read.epub import read_epub
from voxmatrix.book.read.passage import Document
from voxmatrix.child_environment import for_program
from voxmatrix.errors import BadInputError, MissingProgramError
from voxmatrix.landlock import Limits
from voxmatrix.processes import kill_group, start

PROGRAM = "ebook-convert"
_CONVERTED = Path("book.epub")
_ZIP, _PALM = rb"PK\x03\x04", rb".{60}(?:BOOKMOBI|TEXtREAd|PNRdPPrs|zTXTGPlm|\.pdfADBE)"
_DJVU = rb"AT&TFORM"
#: How files of an extension begin: Calibre chooses by the extension alone what it does with a file.
_STARTS = {
    **dict.fromkeys((".mobi", ".azw", ".azw3", ".azw4", ".prc", ".pdb"), _PALM),
    **dict.fromkeys((".docx", ".odt", ".fbz", ".cbz", ".htmlz", ".txtz"), _ZIP),
    **dict.fromkeys((".djvu", ".djv"), _DJVU),
    ".fb2": rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|FictionBook)|\xff\xfe<\x00|\xfe\xff\x00<|PK\x03\x04",
    ".rtf": rb"\{\\rtf",
    ".lit": rb"ITOLITLS",
    ".lrf": rb"L\x00R\x00F\x00\x00\x00",
    ".chm": rb"ITSF",
    ".snb": rb"SNBP000B",
    ".tcr": rb"!!8-Bit!!",
    ".rb": rb"\xb0\x0c\xb0\x0c",
}
_START_BYTES = 200
#: What Calibre calls a language that it does not know.
_UNKNOWN = "en"
#: Contents that the file does not have are not put together from words and links: the headings are looked at here.
_WITHOUT_GUESSES = ("--chapter", "/", "--no-chapters-in-toc", "--max-toc-links", "0")
#: The largest books take minutes.
TIME_LIMIT_SECONDS = 900
_LAST_LINES = 3


def read_converted(path: Path, kinds: Collection[str]) -> Book:
    """Read a book that Calibre converts to EPUB first.

    Raises:
        MissingProgramError: Calibre is not installed.
        BadInputError: it cannot convert the file, or the file is not of the format that its name says.
    """
    with converted(path) as (epub, formulas):
        book = read_epub(epub, kinds)
    if path.suffix.lower() in LANGUAGES and book.language == _UNKNOWN:
        book = replace(book, language=LANGUAGES[path.suffix.lower()](path))
    book = replace(book, findings=(*book.findings, *formula_findings([Document(path.name, formulas=formulas)])))
    return replace(book, title=path.stem) if book.title == _CONVERTED.stem else book


@contextmanager
def converted(path: Path) -> Iterator[tuple[Path, int]]:
    """The EPUB that Calibre makes of a book, which is there for a while, and the number of its formulas.

    Raises:
        As `read_converted`.
    """
    _check_start(path)
    program = shutil.which(PROGRAM)
    if program is None:
        raise MissingProgramError(
            f"{path} is not EPUB, PDF, HTML, Markdown or text; {PROGRAM}, which converts others, is not installed",
            "install Calibre (apt install calibre), or convert the book to EPUB",
        )
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
        epub = Path(folder).resolve() / _CONVERTED
        source, formulas = path.absolute(), 0
        if path.suffix.lower() == ".docx":
            source, formulas = with_readable_formulas(source, epub.parent)
        _convert([program, str(source), str(epub), *_WITHOUT_GUESSES], path, epub)
        yield epub, formulas


def _check_start(path: Path) -> None:
    with path.open("rb") as file:
        start = file.read(_START_BYTES)
    expected = _STARTS.get(path.suffix.lower())
    if expected is None:
        problem, known = f"{path} is no book of a known format", ", ".join(_STARTS)
        raise BadInputError(problem, f"convert it to EPUB, or name it by its format; {PROGRAM} is given {known}")
    if not re.match(expected, start, re.DOTALL):
        problem = f"{path} is not what its name says: its first bytes are not those of a {path.suffix} file"
        raise BadInputError(problem, "check the file, or convert it to EPUB")


def _convert(command: list[str], path: Path, converted: Path) -> None:
    folder = converted.parent
    own = {name: str(folder) for name in ("HOME", "TMPDIR", "CALIBRE_CONFIG_DIRECTORY", "CALIBRE_CACHE_DIRECTORY")}
    process = start(
        command,
        environment={**for_program(), **own, "QT_QPA_PLATFORM": "offscreen"},
        limits=Limits(reads=(path.absolute(),), writes=(folder,), devices=True),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # it starts programs of its own, which end with it
    )
    try:
        output, _ = process.communicate(timeout=TIME_LIMIT_SECONDS)
    except subprocess.TimeoutExpired as error:
        problem = f"{PROGRAM} did not finish {path} within {TIME_LIMIT_SECONDS // 60} minutes"
        raise BadInputError(problem, "convert it to EPUB yourself") from error
    finally:
        _end(process)
    if process.returncode or not converted.is_file():
        said = output.decode("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
        raise BadInputError(
            f"{PROGRAM} cannot convert {path}: {' '.join(said) or f'exit code {process.returncode}'}",
            "if it is protected by DRM, ask the shop for a DRM-free copy; otherwise convert it to EPUB yourself",
        )


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the program with all that it started."""
    kill_group(process.pid)
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
