"""The first sheet of a workbook (`.xlsx`, ISO/IEC 29500) as a table. Formulas have the values saved with them."""

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import NoReturn
from xml.parsers import expat

from voxmatrix.errors import BadInputError

#: Of each file in the archive: 100,000 long sentences have 20 MB.
_MAX_BYTES = 64 * 2**20
#: What unpacks to more than this many times its size is made to fill the memory; sheets do to some 20 times.
_MAX_RATIO, _RATIO_COUNTS_FROM = 300, 2**20
_MAX_COLUMNS = 64
#: Excel's own limit of a cell.
_MAX_CHARACTERS = 32_767
#: What zipfile raises for archives that are damaged, locked, or packed in another way.
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, KeyError, ValueError, OverflowError),
    *(OSError, RuntimeError, NotImplementedError),
)
_PART = "xl/worksheets/sheet1.xml"
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
_SAVE = "save the table as .xlsx or .csv again"


def read_xlsx(data: bytes, name: str) -> bytes:
    """The cells as lines of fields between tabs, in UTF-8: a row of the sheet is the line of its number.

    Raises:
        BadInputError: it is no workbook, damaged, locked with a password, or unpacks to too much.
    """
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise BadInputError(f"{name} is locked with a password, or was saved by an old Excel (.xls)", _SAVE)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            sheet, strings = _Sheet(), _Strings()
            if "xl/sharedStrings.xml" in archive.namelist():
                _parse(_member(archive, "xl/sharedStrings.xml", name), strings.start, strings.end, strings.text, name)
            sheet.strings = strings.found
            _parse(_member(archive, _first_sheet(archive, name), name), sheet.start, sheet.end, sheet.text, name)
    except _BROKEN as error:
        raise BadInputError(f"{name} is damaged, or no workbook of Excel", _SAVE) from error
    return sheet.table().encode("utf-8", "replace")


def _member(archive: zipfile.ZipFile, part: str, name: str) -> bytes:
    with archive.open(part) as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise BadInputError(f"{name} unpacks to more than {_MAX_BYTES >> 20} MiB", "divide it, or save it as .csv")
    if len(data) > max(_RATIO_COUNTS_FROM, _MAX_RATIO * archive.getinfo(part).compress_size):
        raise BadInputError(f"{name} is compressed to less than 1/{_MAX_RATIO}, as no table is", _SAVE)
    return data


def _first_sheet(archive: zipfile.ZipFile, name: str) -> str:
    """The part with the first sheet of the workbook: its number in the archive may be another."""
    sheets: list[str] = []
    targets: dict[str, str] = {}

    def start(element: str, attributes: dict[str, str]) -> None:
        given = {_local(key): value for key, value in attributes.items()}
        if _local(element) == "sheet":
            sheets.append(given.get("id", ""))
        elif _local(element) == "Relationship":
            targets[given.get("Id", "")] = given.get("Target", "")

    for part in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
        _parse(_member(archive, part, name), start, _ignore, _ignore, name)
    target = targets.get(sheets[0], "") if sheets else ""
    return (target.lstrip("/") if target.startswith("/") else f"xl/{target}") if target else _PART


def _parse(
    data: bytes,
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None],
    name: str,
) -> None:
    """Parse XML without document types: no entity can be declared.

    Raises:
        BadInputError: it declares a type, or is not well-formed.
    """

    def refuse(*_: object) -> NoReturn:
        raise BadInputError(f"{name} declares a document type, which no workbook does", _SAVE)

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise BadInputError(f"{name} is damaged: its XML is not well-formed", _SAVE) from error


def _ignore(_: str) -> None:
    pass


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


class _Strings:
    """The texts that cells refer to by their number. How they are read in Japanese (`rPh`) is left out."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._reading = self._phonetic = False

    def start(self, element: str, _: dict[str, str]) -> None:
        name = _local(element)
        if name == "si":
            self.found.append("")
        self._phonetic = self._phonetic or name == "rPh"
        self._reading = name == "t" and not self._phonetic

    def end(self, element: str) -> None:
        if _local(element) == "rPh":
            self._phonetic = False
        self._reading = False

    def text(self, part: str) -> None:
        if self._reading and self.found and len(self.found[-1]) < _MAX_CHARACTERS:
            self.found[-1] += part


class _Sheet:
    """The cells of a sheet by row and column, both from 0."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._rows: dict[int, dict[int, str]] = {}
        self._row = self._column = -1
        self._kind = self._value = ""
        self._reading = False

    def start(self, element: str, attributes: dict[str, str]) -> None:
        name = _local(element)
        if name == "row":
            number = attributes.get("r", "")
            self._row = int(number) - 1 if number.isdecimal() and len(number) < 8 else self._row + 1
            self._column = -1
        elif name == "c":
            match = _CELL.fullmatch(attributes.get("r", ""))
            self._column = _column(match[1]) if match else self._column + 1
            self._kind, self._value = attributes.get("t", "n"), ""
        self._reading = name == "v" or (name == "t" and self._kind == "inlineStr")

    def end(self, element: str) -> None:
        self._reading = False
        if _local(element) == "c" and 0 <= self._column < _MAX_COLUMNS and self._row >= 0:
            value = self._value
            if self._kind == "s":
                value = self.strings[int(value)] if value.isdecimal() and int(value) < len(self.strings) else ""
            if value and self._kind != "e":
                self._rows.setdefault(self._row, {})[self._column] = " ".join(value.split())

    def text(self, part: str) -> None:
        if self._reading and len(self._value) < _MAX_CHARACTERS:
            self._value += part

    def table(self) -> str:
        width = 1 + max((column for row in self._rows.values() for column in row), default=0)
        lines = self._lines(width)
        return "\n".join(lines)

    def _lines(self, width: int) -> Iterator[str]:
        place = 0
        for number in sorted(self._rows):
            yield from [""] * (number - place)
            yield "\t".join(self._rows[number].get(column, "") for column in range(width))
            place = number + 1


def _column(letters: str) -> int:
    """0 for A, 26 for AA."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
