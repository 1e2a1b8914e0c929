"""ZIP bombs stay below 300 MB, measured from outside of the process that reads them."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.book.epubs import CONTAINER, epub, package
from voxmatrix.book.read.epub_archive import MAX_TOTAL_BYTES, MIB

_LIMIT_MIB = 300
_READ = """
import sys
from pathlib import Path
from voxmatrix.book.read import read_book
from voxmatrix.errors import VoxmatrixError
try:
    read_book(Path(sys.argv[1]))
except VoxmatrixError as error:
    print(type(error).__name__)
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
print(int(peak.split()[1]) // 1024)
"""


def _zeros(path: Path) -> None:
    """A gigabyte in a megabyte."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("META-INF/container.xml", CONTAINER)
        file.writestr("OEBPS/book.opf", package(["a.xhtml"], has_nav=False))
        with file.open("OEBPS/a.xhtml", "w", force_zip64=True) as inside:
            for _ in range(1024):
                inside.write(bytes(MIB))


def _all_that_is_allowed(path: Path) -> None:
    """As much text as the limits let through, in the widest characters, that compresses no better than allowed."""
    paragraph = "<p>{} 😀 text</p>"
    size = MAX_TOTAL_BYTES // 3 - MIB // 4
    names = [f"{number}.xhtml" for number in range(3)]
    body = "".join(paragraph.format(os.urandom(500).hex()) for _ in range(size // 1030))
    path.write_bytes(epub(dict.fromkeys(names, body)))


def _many_tags(path: Path) -> None:
    """As many elements and attributes as the limits let through."""
    body = "".join(f'<i a="" b="{number}">{number}</i>' for number in range(195_000))
    path.write_bytes(epub({"a.xhtml": body}))


def _one_paragraph(path: Path) -> None:
    """As many words as can be in one paragraph."""
    text = "".join(f"<i>{os.urandom(600).hex(' ', 1)}</i>" for _ in range(5000))
    path.write_bytes(epub({"a.xhtml": f"<p>{text}</p>"}))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of a process is read in /proc")
@pytest.mark.parametrize(
    "build", [_zeros, _all_that_is_allowed, _many_tags, _one_paragraph], ids=lambda build: build.__name__
)
def test_no_book_takes_more_than_300_mib(build, tmp_path):
    path = tmp_path / "book.epub"
    build(path)
    done = subprocess.run([sys.executable, "-c", _READ, str(path)], capture_output=True, text=True, check=True)
    *error, peak_mib = done.stdout.split()
    assert error == (["BadInputError"] if build is _zeros else [])
    assert int(peak_mib) < _LIMIT_MIB
