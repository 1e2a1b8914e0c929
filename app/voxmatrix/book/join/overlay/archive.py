"""Write the ZIP archive of an EPUB: the same input gives the same bytes."""

import zipfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import IO, Self

#: The earliest date that a ZIP file can hold.
_DATE = (1980, 1, 1, 0, 0, 0)
#: Other files hardly get smaller, or are read by their first bytes, as the type of the archive.
_PACKED = (".xhtml", ".html", ".htm", ".xml", ".svg", ".smil", ".opf", ".ncx", ".css", ".js", ".ttf")


class EpubWriter:
    """An archive that is written; the type of the file comes first."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file, "w")
        #: Beside which large pieces are prepared: /tmp may be small.
        self.folder = Path(file.name).parent
        self.add("mimetype", b"application/epub+zip")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._archive.close()

    def add(self, name: str, data: bytes) -> None:
        """Add a small file."""
        self._archive.writestr(_entry(name, packed=name.lower().endswith(_PACKED)), data)

    def copy(self, name: str, blocks: Iterable[bytes], *, packed: bool = False) -> None:
        """Add a file of any size."""
        with self._archive.open(_entry(name, packed=packed), "w", force_zip64=True) as target:
            for block in blocks:
                target.write(block)


def _entry(name: str, *, packed: bool) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.create_system = 3  # on Windows too
    entry.external_attr = 0o644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    return entry
